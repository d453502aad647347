#include <gmock/gmock.h>

#include <fmt/format.h>

#include "tests/db/campaigns_fixture.hpp"

/// The API's report where cycles continue, but campaigns are not planned, or not forecast.
namespace gleaner::tests {
namespace {

class Lapses : public CampaignsFixture {
 protected:
  void SetUp() override {
    CampaignsFixture::SetUp();
    sql("INSERT INTO cycles (term, started_at, ended_at) VALUES (1, now(), now())");
    sql("UPDATE lease SET holder = 'almighty host:1', expires_at = now() + interval '1 hour'");
    id_ = a_campaign_of(5);
    sql(
        fmt::format("INSERT INTO campaign_forecasts (campaign_id, made_at, end_at, method) "
                    "VALUES ({}, now(), now() + interval '1 hour', 'average')",
                    id_));
  }
  void fails(const std::string& module, const std::string& since) const {
    sql(
        fmt::format("INSERT INTO events (code, opened_at, last_at, message) VALUES ('MODULE_FAILED_{}', now() - interval '{}', now(), 'x') "
                    "RETURNING 1",
                    module, since));
  }
  /// Whether its decisions are old, and the method of its forecast.
  [[nodiscard]] std::string said() const {
    const auto decisions = get(path(id_, "/decisions"));
    EXPECT_EQ(decisions.status, 200) << decisions.body;
    std::string text = decisions.json["old_since"].IsNull() ? "decided" : "undecided";
    for (const auto* rest : {"", "/stats"}) {
      const auto answer = get(path(id_, rest));
      text += fmt::format(" {}", answer.json["forecast_method"].GetString());
      EXPECT_EQ(answer.json["forecast_end"].IsNull(), text.ends_with("stale")) << answer.body;
    }
    return text;
  }

 private:
  std::int64_t id_ = 0;
};

TEST_F(Lapses, WhereThePlannerFails_ItsDecisionsAndForecastsAreOld_WhereThePredictorDoes_TheForecastsAre) {
  EXPECT_EQ(said(), "decided average average");
  fails("runner", "5 minutes");
  fails("metascheduler", "10 seconds");
  EXPECT_EQ(said(), "decided average average") << "the next cycle may do it";
  sql("UPDATE events SET opened_at = now() - interval '5 minutes' RETURNING 1");
  EXPECT_EQ(said(), "undecided stale stale");
  sql("UPDATE events SET state = 'closed', closed_at = now() RETURNING 1");
  fails("predictor", "5 minutes");
  EXPECT_EQ(said(), "decided stale stale");
}

TEST_F(Lapses, WhileAClusterIsLookedAtAfterARestore_NothingIsDecided) {
  sql("INSERT INTO epochs (first_campaign, first_launch, began_at, cause) VALUES (9, 9, now() - interval '2 minutes', 'x') RETURNING 1");
  EXPECT_EQ(said(), "decided average average");
  sql("UPDATE clusters SET recover_from = now(), reachable = true WHERE name = 'alpha' RETURNING 1");
  EXPECT_EQ(said(), "undecided stale stale");
  sql("UPDATE clusters SET reachable = false WHERE name = 'alpha' RETURNING 1");
  EXPECT_EQ(said(), "decided average average") << "it is not waited for";
}

}  // namespace
}  // namespace gleaner::tests
