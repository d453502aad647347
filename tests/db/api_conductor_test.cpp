// The routes about the work of the grid itself.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include "tests/db/api_fixture.hpp"

namespace gleaner::tests {
namespace {

using testing::HasSubstr;

class Cycles : public ApiTest {
 protected:
  void a_cycle(int minute, bool ended = true) const {
    sql(fmt::format(
        "INSERT INTO cycles (term, started_at, ended_at, modules) SELECT 3, t, CASE WHEN {0} THEN t + interval '2 s' END, CASE WHEN {0} THEN "
        "'[{{\"module\": \"updator\", \"result\": \"succeeded\", \"ms\": 40}}]'::jsonb END "
        "FROM (SELECT timestamptz '2026-11-20T00:00:00Z' + {1} * interval '1 minute' AS t) n",
        ended, minute));
  }
};

TEST_F(Cycles, AreListed_TheNewestFirst_AndOneThatGoesOnHasNoEnd) {
  a_cycle(0);
  a_cycle(1, false);
  const auto found = get("/v1/cycles");
  ASSERT_EQ(found.status, 200) << found.body;
  const auto& items = found.json["items"];
  ASSERT_EQ(items.Size(), 2U);
  EXPECT_TRUE(items[0]["stop_time"].IsNull());
  EXPECT_TRUE(items[0]["modules"].IsNull());
  EXPECT_STREQ(items[1]["start_time"].GetString(), "2026-11-20T00:00:00Z");
  EXPECT_STREQ(items[1]["stop_time"].GetString(), "2026-11-20T00:00:02Z");
  EXPECT_STREQ(items[1]["modules"][0]["module"].GetString(), "updator");
  EXPECT_EQ(items[1]["modules"][0]["ms"].GetInt64(), 40);
}

TEST_F(Cycles, OfEarlierPages_ComeByTheLastIdOfThePageBefore) {
  for (int minute = 0; minute < 5; ++minute) a_cycle(minute);
  std::vector<std::string> starts;
  std::int64_t before = 1'000'000;
  for (;;) {
    const auto page = get(fmt::format("/v1/cycles?limit=2&before={}", before));
    const auto& items = page.json["items"];
    if (items.Empty()) break;
    for (const auto& item : items.GetArray()) starts.emplace_back(item["start_time"].GetString());
    before = items[items.Size() - 1]["id"].GetInt64();
  }
  EXPECT_EQ(starts.size(), 5U);
  EXPECT_TRUE(std::ranges::is_sorted(starts, std::ranges::greater{}));
  EXPECT_EQ(get("/v1/cycles?limit=1001").status, 400);
}

class AuditRoute : public ApiTest {};

TEST_F(AuditRoute, ShowsAdministratorsWhoChangedWhat_AndNobodyElse) {
  const auto id = a_campaign_of(1), other = a_campaign_of(1);
  ASSERT_EQ(post(fmt::format("/v1/campaigns/{}/hold", id)).status, 202);
  ASSERT_EQ(post(fmt::format("/v1/campaigns/{}/hold", other)).status, 202);
  const auto found = as("boss", {.target = fmt::format("/v1/audit?campaign={}&user=alice", id)});
  ASSERT_EQ(found.status, 200) << found.body;
  const auto& newest = found.json["items"][0];
  EXPECT_STREQ(newest["actor"].GetString(), "alice");
  EXPECT_EQ(newest["campaign"].GetInt64(), id);
  EXPECT_THAT(newest["act"].GetString(), HasSubstr("paused"));
  for (const auto& item : found.json["items"].GetArray()) EXPECT_EQ(item["campaign"].GetInt64(), id);
  EXPECT_EQ(as("boss", {.target = "/v1/audit?user=nobody"}).json["items"].Size(), 0U);
  EXPECT_EQ(as("boss", {.target = "/v1/audit?since=2100-01-01T00:00:00Z"}).json["items"].Size(), 0U);
  const auto refused = get("/v1/audit");
  EXPECT_EQ(refused.status, 403);
  EXPECT_THAT(refused.body, HasSubstr("for administrators"));
  EXPECT_EQ(as("boss", {.target = "/v1/audit?campaign=x"}).status, 400);
}

}  // namespace
}  // namespace gleaner::tests
