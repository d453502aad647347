#include <gmock/gmock.h>

#include <set>
#include <string>

#include <fmt/format.h>

#include "tests/db/api_fixture.hpp"

/// What the API says of a grid that nobody conducts.
namespace gleaner::tests {
namespace {

class ApiStandstill : public ApiTest {
 protected:
  void a_cycle(const std::string& began, const std::string& ended) const {
    sql(fmt::format("INSERT INTO cycles (term, started_at, ended_at) VALUES (1, now() - interval '{}', now() - {})", began,
                    ended.empty() ? "NULL::interval" : "interval '" + ended + "'"));
  }
  /// As if the predictor had written it in the last cycle.
  std::int64_t a_forecast_campaign() const {
    const auto id = a_campaign_of(5);
    sql(
        fmt::format("INSERT INTO campaign_forecasts (campaign_id, made_at, end_at, method) "
                    "VALUES ({}, now(), now() + interval '1 hour', 'average')",
                    id));
    return id;
  }
  /// Whether all routes agree that the grid stands still.
  [[nodiscard]] bool stands_still(std::int64_t id) {
    const auto campaign = fmt::format("/v1/campaigns/{}", id);
    std::set<bool> says;
    for (const auto& path : {std::string{"/v1/campaigns"}, campaign, campaign + "/decisions", std::string{"/v1/clusters"},
                             std::string{"/health"}, std::string{"/v1/scenario"}})
      says.insert(!get(path).json["standstill"].IsNull());
    says.insert(std::string{get("/health").json["status"].GetString()} == "standstill");
    says.insert(get(campaign).json["forecast_end"].IsNull());
    says.insert(get(campaign + "/stats").json["forecast_end"].IsNull());
    says.insert(get("/v1/campaigns").json["items"][0]["forecast_end"].IsNull());
    EXPECT_EQ(says.size(), 1U) << "the routes disagree";
    return says.contains(true);
  }
};

TEST_F(ApiStandstill, IsSaidOfAGridWhoseLastCycleEndedLongAgo_AndItHasNoForecasts) {
  const auto id = a_forecast_campaign();
  a_cycle("2 hours", "119 minutes");
  EXPECT_TRUE(stands_still(id));
  for (const auto* path : {"", "/stats"})
    EXPECT_STREQ(get(fmt::format("/v1/campaigns/{}{}", id, path)).json["forecast_method"].GetString(), "standstill");
  EXPECT_EQ(get("/health").json["standstill"].GetString(),
            sql("SELECT to_char(max(ended_at) AT TIME ZONE 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS\"Z\"') FROM cycles"));
  a_cycle("1 minute", "");
  EXPECT_TRUE(stands_still(id)) << "a cycle that does not end is none";
  for (int i = 0; i < 30; ++i) a_cycle("1 minute", "");
  EXPECT_EQ(get("/health").json["standstill"].GetString(),
            sql("SELECT to_char(max(ended_at) AT TIME ZONE 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS\"Z\"') FROM cycles"));
  a_cycle("1 minute", "30 seconds");
  EXPECT_FALSE(stands_still(id));
}

TEST_F(ApiStandstill, IsNotSaidOfAGridThatCronConducts_NorOfOneWhoseModulesAreSlow) {
  const auto id = a_forecast_campaign();
  a_cycle("11 minutes", "10 minutes");
  a_cycle("10 minutes", "");
  EXPECT_FALSE(stands_still(id)) << "each module may take two minutes";
}

TEST_F(ApiStandstill, BeforeTheFirstCycle_LastsSinceTheSchemaWasMade) {
  const auto id = a_forecast_campaign();
  EXPECT_FALSE(stands_still(id)) << "almighty may be about to start";
  sql("UPDATE schema_migrations SET applied_at = now() - interval '20 minutes'");
  EXPECT_TRUE(stands_still(id));
}

}  // namespace
}  // namespace gleaner::tests
