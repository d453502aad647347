#include <gmock/gmock.h>

#include <set>
#include <string>

#include <fmt/format.h>

#include "tests/db/api_fixture.hpp"

/// The API's report on a grid without a conductor.
namespace gleaner::tests {
namespace {

using ::testing::HasSubstr;

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
  sql("UPDATE lease SET holder = 'almighty --once host:1', expires_at = now() + interval '10 s'");
  EXPECT_FALSE(stands_still(id)) << "each module may take two minutes";
  sql("UPDATE lease SET expires_at = '-infinity'");
  a_cycle("3 minutes", "2 minutes");
  EXPECT_FALSE(stands_still(id)) << "cron starts the next one";
}

TEST_F(ApiStandstill, IsSaidSoonOfAnAlmightyThatDied_AndLaterOfOneThatWasStopped) {
  const auto id = a_forecast_campaign();
  a_cycle("50 seconds", "45 seconds");
  sql("UPDATE lease SET holder = 'almighty host:1', expires_at = now() - interval '5 s'");
  EXPECT_FALSE(stands_still(id)) << "it may be started again just now";
  sql("UPDATE lease SET expires_at = now() - interval '20 s'");
  EXPECT_TRUE(stands_still(id));
  const auto health = get("/health");
  EXPECT_STREQ(health.json["troubles"][0]["kind"].GetString(), "conductor");
  EXPECT_THAT(health.json["troubles"][0]["message"].GetString(), HasSubstr("almighty host:1 let its lease run out"));
  EXPECT_THAT(health.json["troubles"][0]["remedy"].GetString(), HasSubstr("systemctl start gleaner-almighty"));
  sql("UPDATE lease SET expires_at = '-infinity'");
  EXPECT_FALSE(stands_still(id)) << "it was stopped, and may come back";
  sql("UPDATE cycles SET ended_at = now() - interval '2 minutes'");
  EXPECT_TRUE(stands_still(id));
}

/// A site whose clusters are asked for something new every half hour.
class ApiStandstillOfLongCycles : public ApiStandstill {
 protected:
  [[nodiscard]] process::Config configuration() const override {
    auto config = process::default_config();
    config.cycle_period = std::chrono::minutes{30};
    return config;
  }
};

TEST_F(ApiStandstillOfLongCycles, IsNotSaidBetweenTwoOfThem) {
  const auto id = a_forecast_campaign();
  a_cycle("26 minutes", "25 minutes");
  sql("UPDATE lease SET holder = 'almighty host:1', expires_at = now() + interval '10 s'");
  EXPECT_FALSE(stands_still(id));
  sql("UPDATE cycles SET ended_at = now() - interval '101 minutes'");
  EXPECT_TRUE(stands_still(id)) << "three periods, and what the modules may take";
}

class ApiHealth : public ApiTest {
 protected:
  void SetUp() override {
    ApiTest::SetUp();
    sql("INSERT INTO cycles (term, started_at, ended_at) VALUES (1, now(), now())");
    sql("UPDATE lease SET holder = 'almighty host:1', expires_at = now() + interval '1 hour'");
  }
  /// `status: kind subject, kind subject`.
  [[nodiscard]] std::string said() const {
    const auto health = get("/health");
    std::string text = health.json["status"].GetString();
    std::string separator = ": ";
    for (const auto& trouble : health.json["troubles"].GetArray()) {
      text += fmt::format("{}{} {}", separator, trouble["kind"].GetString(), trouble["subject"].GetString());
      separator = ", ";
      EXPECT_TRUE(trouble["since"].IsString()) << health.body;
      EXPECT_GT(trouble["remedy"].GetStringLength(), 0U);
    }
    return text;
  }
};

TEST_F(ApiHealth, NamesWhatKeepsTheGridFromItsWork_AndOpenEventsOfUsersAreNothingOfIt) {
  const auto id = a_campaign_of(1);
  sql(fmt::format("INSERT INTO events (code, campaign_id, opened_at, last_at, message) VALUES ('TASK_ERROR', {}, now(), now(), 'x')", id));
  EXPECT_EQ(said(), "ok");
  sql("UPDATE clusters SET reachable = false, unreachable_since = now() WHERE name = 'alpha'");
  EXPECT_EQ(said(), "degraded: cluster alpha");
  sql("INSERT INTO brakes (cluster_id, reason, created_at, expires_at) SELECT id, 'x', now(), now() + interval '1 hour' FROM clusters "
      "WHERE name = 'alpha'");
  sql("INSERT INTO events (code, opened_at, last_at, message) VALUES ('LAW_BROKEN_counters', now(), now(), 'x')");
  for (const auto* module : {"updator", "predictor", "nikita", "metascheduler", "runner"})
    sql(fmt::format("INSERT INTO events (code, opened_at, last_at, message) VALUES ('MODULE_FAILED_{}', now(), now(), 'exit status 1')",
                    module));
  EXPECT_EQ(said(),
            "degraded: module metascheduler, module nikita, module predictor, module runner, module updator, law counters, cluster alpha, "
            "brake alpha");
  sql("UPDATE clusters SET reachable = true, no_resources_since = now() WHERE name = 'alpha'");
  sql("DELETE FROM brakes; UPDATE events SET state = 'closed', closed_at = now()");
  EXPECT_EQ(said(), "degraded: cluster alpha") << "none of its resources is alive";
  sql("UPDATE clusters SET no_resources_since = NULL");
  sql("INSERT INTO events (code, cluster_id, opened_at, last_at, message) SELECT 'CLUSTER_TURN_FAILED_updator', id, "
      "now() - interval '1 hour', now(), 'x' FROM clusters WHERE name = 'alpha'");
  EXPECT_EQ(said(), "degraded: module updator on alpha");
  sql("UPDATE events SET last_at = now() - interval '11 minutes'");
  EXPECT_EQ(said(), "ok") << "the updator had nothing to do there since, as far as it is known";
  sql("UPDATE events SET last_at = now()");
  sql("UPDATE clusters SET enabled = false, reachable = false");
  sql("UPDATE events SET state = 'closed', closed_at = now()");
  EXPECT_EQ(said(), "ok") << "a cluster that was disabled is not missed";
}

TEST_F(ApiHealth, OfADatabaseOfANewerVersion_IsNotOk_ThoughTheConnectionIsFromBefore) {
  EXPECT_EQ(get("/health").status, 200);
  sql("INSERT INTO schema_migrations (number, name) VALUES (9999, 'future')");
  const auto health = get("/health");
  EXPECT_EQ(health.status, 503);
  EXPECT_STREQ(health.json["status"].GetString(), "unavailable");
  EXPECT_THAT(health.json["database"]["message"].GetString(), HasSubstr("use a newer Gleaner"));
}

TEST_F(ApiHealth, ForEverybody_HasNoMessages_WhichMayQuoteAddresses) {
  sql("UPDATE clusters SET reachable = false, unreachable_since = now() WHERE name = 'alpha'");
  const auto health = ask(port(), {.target = "/health"});
  EXPECT_STREQ(health.json["troubles"][0]["subject"].GetString(), "alpha");
  EXPECT_TRUE(health.json["troubles"][0]["message"].IsNull()) << health.body;
}

TEST_F(ApiStandstill, BeforeTheFirstCycle_LastsSinceTheSchemaWasMade) {
  const auto id = a_forecast_campaign();
  EXPECT_FALSE(stands_still(id)) << "almighty may be about to start";
  sql("UPDATE schema_migrations SET applied_at = now() - interval '20 minutes'");
  EXPECT_TRUE(stands_still(id));
}

}  // namespace
}  // namespace gleaner::tests
