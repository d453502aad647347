// The route of the reasons that a campaign's pairs had.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include "tests/db/api_fixture.hpp"

namespace gleaner::tests {
namespace {

using testing::HasSubstr;

class DecisionHistoryRoute : public ApiTest {
 protected:
  void SetUp() override {
    ApiTest::SetUp();
    begun_ = sql("SELECT now()");
  }
  /// A past reason on alpha, from so many minutes ago to so many.
  void had(std::int64_t id, int change, int since, int until, const std::string& reason, const std::string& subject = {}) const {
    sql(fmt::format(
        "INSERT INTO decision_history (campaign_id, cluster_id, change, since, until, lasted, reason, subject) SELECT {0}, id, {1}, '{2}'::timestamptz - {3} * "
        "interval '1 minute', '{2}'::timestamptz - {4} * interval '1 minute', {5} * interval '1 minute', '{6}', '{7}' FROM clusters WHERE name = 'alpha'",
        id, change, begun_, since, until, since - until, reason, subject));
  }
  void has(std::int64_t id, int since, const std::string& reason) const {
    sql(fmt::format(
        "INSERT INTO decisions (campaign_id, cluster_id, stage, reason, figures, jobs, since) SELECT {}, id, 'match', '{}', '{{}}', 0, "
        "'{}'::timestamptz - {} * interval '1 minute' FROM clusters WHERE name = 'alpha'",
        id, reason, begun_, since));
  }
  /// The reasons of the first cluster, the longest first: what stands goes on meanwhile.
  static std::vector<std::string> reasons(const rapidjson::Document& history) {
    std::vector<std::string> words;
    for (const auto& share : history["clusters"][0]["shares"].GetArray()) words.emplace_back(share["words"].GetString());
    return words;
  }
  [[nodiscard]] rapidjson::Document history(std::int64_t id, const std::string& query = {}) const {
    auto answer = get(fmt::format("/v1/campaigns/{}/decisions/history{}", id, query));
    EXPECT_EQ(answer.status, 200) << answer.body;
    return std::move(answer.json);
  }

 private:
  std::string begun_;
};

TEST_F(DecisionHistoryRoute, IsReachedByALinkOfItsCampaign_AsAllThatACampaignHas) {
  const auto campaign = get(fmt::format("/v1/campaigns/{}", a_campaign_of(3)));
  std::vector<std::string> titles;
  for (const auto& link : campaign.json["links"].GetArray()) {
    EXPECT_EQ(get(link["href"].GetString()).status, 200) << link["href"].GetString();
    if (link.HasMember("title")) titles.emplace_back(link["title"].GetString());
  }
  EXPECT_THAT(titles, testing::IsSupersetOf({"decisions", "history", "failures", "forecasts", "tasks"}));
}

TEST_F(DecisionHistoryRoute, HasTheSharesOfTheTime_AndThePeriods_TheNewestFirst) {
  const auto id = a_campaign_of(3);
  had(id, 1, 100, 40, "limit_reached", "limit 7 (user alice)");
  had(id, 2, 30, 20, "unreachable");
  has(id, 20, "no_free_resources");
  const auto other = a_campaign_of(3);
  had(other, 1, 50, 10, "paused");
  const auto found = history(id);
  ASSERT_EQ(found["clusters"].Size(), 1U);
  const auto& alpha = found["clusters"][0];
  EXPECT_STREQ(alpha["cluster_name"].GetString(), "alpha");
  ASSERT_EQ(alpha["shares"].Size(), 3U);
  EXPECT_STREQ(alpha["shares"][0]["words"].GetString(), "limit 7 (user alice)");
  EXPECT_DOUBLE_EQ(alpha["shares"][0]["seconds"].GetDouble(), 3600);
  EXPECT_STREQ(alpha["shares"][1]["words"].GetString(), "full");
  EXPECT_DOUBLE_EQ(alpha["undecided_seconds"].GetDouble(), 600) << "from minute 40 to minute 30";
  double sum = alpha["undecided_seconds"].GetDouble();
  for (const auto& share : alpha["shares"].GetArray()) sum += share["seconds"].GetDouble();
  EXPECT_NEAR(sum, alpha["seconds"].GetDouble(), 1e-3);
  ASSERT_EQ(found["items"].Size(), 3U);
  EXPECT_TRUE(found["items"][0]["until"].IsNull());
  EXPECT_STREQ(found["items"][2]["subject"].GetString(), "limit 7 (user alice)");
  EXPECT_TRUE(found["items"][1]["subject"].IsNull());
  const auto page = history(id, "?limit=1&offset=1");
  ASSERT_EQ(page["items"].Size(), 1U);
  EXPECT_STREQ(page["items"][0]["reason"].GetString(), "unreachable");
  EXPECT_EQ(page["total"].GetInt64(), 3);
  EXPECT_EQ(reasons(page), reasons(found)) << "whatever the page";
}

TEST_F(DecisionHistoryRoute, SinceATime_LeavesOutWhatEndedBefore_AndCutsWhatHeldThen) {
  const auto id = a_campaign_of(3);
  had(id, 1, 100, 40, "unreachable");
  had(id, 2, 40, 20, "paused");
  const auto since = sql("SELECT to_char((now() - interval '30 minutes') AT TIME ZONE 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS\"Z\"')");
  const auto found = history(id, "?since=" + since);
  EXPECT_EQ(found["items"].Size(), 1U);
  ASSERT_EQ(found["clusters"].Size(), 1U);
  EXPECT_EQ(found["clusters"][0]["from"].GetString(), since);
  EXPECT_NEAR(found["clusters"][0]["seconds"].GetDouble(), 600, 1.5);
}

TEST_F(DecisionHistoryRoute, WithoutACampaign_OrATime_IsRefused) {
  const auto id = a_campaign_of(1);
  EXPECT_EQ(history(id)["items"].Size(), 0U);
  EXPECT_EQ(get("/v1/campaigns/99/decisions/history").status, 404);
  const auto answer = get(fmt::format("/v1/campaigns/{}/decisions/history?since=monday", id));
  EXPECT_EQ(answer.status, 400);
  EXPECT_THAT(answer.body, HasSubstr("since"));
}

}  // namespace
}  // namespace gleaner::tests
