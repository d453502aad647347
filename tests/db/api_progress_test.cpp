// The pictures of a campaign: the strip of its tasks, and those that ended by time.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include "tests/db/api_fixture.hpp"

namespace gleaner::tests {
namespace {

using testing::HasSubstr;

class StripRoute : public ApiTest {
 protected:
  [[nodiscard]] rapidjson::Document strip(std::int64_t id, const std::string& query = {}) const {
    auto answer = get(fmt::format("/v1/campaigns/{}/strip{}", id, query));
    EXPECT_EQ(answer.status, 200) << answer.body;
    return std::move(answer.json);
  }
};

TEST_F(StripRoute, HasTheCountsOfTheCampaign_AndLeavesOutTheStatesThatNoneIsIn) {
  const auto id = a_campaign_of(5);
  sql(fmt::format(
      "UPDATE tasks SET state = CASE number WHEN 0 THEN 'done' ELSE 'failed' END::task_state WHERE campaign_id = {} AND number < 2", id));
  const auto found = strip(id);
  EXPECT_EQ(found["total_tasks"].GetInt64(), 5);
  EXPECT_EQ(found["block_tasks"].GetInt64(), 1);
  EXPECT_STREQ(found["others"].GetString(), "waiting");
  ASSERT_EQ(found["blocks"].Size(), 2U);
  EXPECT_EQ(found["blocks"][0]["done"].GetInt64(), 1);
  EXPECT_FALSE(found["blocks"][0].HasMember("failed"));
  const auto coarse = strip(id, "?blocks=1");
  EXPECT_EQ(coarse["block_tasks"].GetInt64(), 5);
  EXPECT_EQ(coarse["blocks"][0]["waiting"].GetInt64(), 3);
}

TEST_F(StripRoute, TheTasksThatWereNeverTaken_OfACancelledCampaign_AreCancelled) {
  const auto id = a_campaign_of(5);
  sql(fmt::format("UPDATE tasks SET state = 'done' WHERE campaign_id = {} AND number = 0", id));
  ASSERT_EQ(remove(fmt::format("/v1/campaigns/{}", id)).status, 202);
  const auto found = strip(id, "?blocks=2");
  EXPECT_STREQ(found["others"].GetString(), "cancelled");
  EXPECT_EQ(found["blocks"][0]["cancelled"].GetInt64(), 2);
  EXPECT_FALSE(found["blocks"][0].HasMember("waiting"));
  const auto counts = get(fmt::format("/v1/campaigns/{}", id));
  EXPECT_EQ(counts.json["tasks"]["cancelled"].GetInt64(), 4) << "2 of the first block, 2 of those that are left out";
}

TEST_F(StripRoute, BlocksBeyondItsBounds_AreRefused_AndSoIsACampaignThatIsNot) {
  const auto id = a_campaign_of(1);
  for (const auto* blocks : {"0", "1001", "-1", "many", "1.5"}) {
    const auto answer = get(fmt::format("/v1/campaigns/{}/strip?blocks={}", id, blocks));
    EXPECT_EQ(answer.status, 400) << blocks;
    EXPECT_THAT(answer.body, HasSubstr("blocks")) << blocks;
  }
  EXPECT_EQ(get("/v1/campaigns/99/strip").status, 404);
  EXPECT_EQ(get("/v1/campaigns/99/progress").status, 404);
}

class ProgressRoute : public ApiTest {
 protected:
  /// So many tasks ended in this minute.
  void ended(std::int64_t id, int minute, int tasks) const {
    sql(fmt::format("INSERT INTO completions VALUES ({}, 1, timestamptz '2026-11-20T00:00:00Z' + {} * interval '1 minute', {})", id, minute,
                    tasks));
  }
};

TEST_F(ProgressRoute, HasEachEndOnce_InAtMostAsManySlicesAsAreWanted) {
  const auto id = a_campaign_of(1);
  EXPECT_EQ(get(fmt::format("/v1/campaigns/{}/progress", id)).json["items"].Size(), 0U);
  for (int minute = 0; minute < 100; minute += 3) ended(id, minute, minute + 1);
  std::int64_t all = 0;
  for (int minute = 0; minute < 100; minute += 3) all += minute + 1;
  for (const int points : {1, 2, 7, 33, 34, 100, 1000}) {
    const auto found = get(fmt::format("/v1/campaigns/{}/progress?points={}", id, points));
    ASSERT_EQ(found.status, 200) << found.body;
    const auto& items = found.json["items"];
    EXPECT_LE(items.Size(), static_cast<unsigned>(points)) << points;
    std::int64_t sum = 0;
    for (const auto& item : items.GetArray()) sum += item["tasks"].GetInt64();
    EXPECT_EQ(sum, all) << points;
    EXPECT_EQ(found.json["step"].GetInt64() % 60, 0);
    EXPECT_STREQ(items[0]["time"].GetString(), "2026-11-20T00:00:00Z");
  }
  EXPECT_EQ(get(fmt::format("/v1/campaigns/{}/progress?points=0", id)).status, 400);
}

}  // namespace
}  // namespace gleaner::tests
