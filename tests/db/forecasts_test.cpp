#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lib/process/options.hpp"
#include "lib/store/campaigns.hpp"
#include "lib/store/chosen_tasks.hpp"
#include "lib/store/clusters.hpp"
#include "lib/store/events.hpp"
#include "lib/store/locks.hpp"
#include "lib/store/prediction.hpp"
#include "lib/store/views.hpp"
#include "metascheduler/metascheduler.hpp"
#include "predictor/forecasts_of.hpp"
#include "predictor/predictor.hpp"
#include "tests/db/grid_fixture.hpp"

/// The forecasts that the predictor stores, from what the database holds.
namespace gleaner::tests {
namespace {

class Forecasts : public GridFixture {
 protected:
  void SetUp() override {
    transact([&](store::Transaction& transaction) {
      for (const auto cluster : {alpha, beta}) {
        store::GridStatus status;
        status.cluster = cluster;
        status.time = now;
        status.max_resources = status.free = 16;
        status.reachable = true;
        store::record_status(transaction, status);
        store::record_reached(transaction, cluster, now);
      }
    });
  }
  void predict() { predict(process::build_config({}, {}).value()); }
  void predict(const process::Config& config) {
    transact([&](store::Transaction& transaction) {
      const auto facts = store::prediction_facts(transaction, {config.flood, 1, config.headroom}, now - config.throughput_window, now);
      store::write_forecasts(transaction, predictor::forecasts_of(facts, config, now), now);
    });
  }
  std::vector<store::KeptForecast> history_of(grid::CampaignId campaign) {
    std::vector<store::KeptForecast> history;
    transact([&](store::Transaction& transaction) { history = store::forecast_history(transaction, campaign); });
    return history;
  }
  /// So that its end is another one.
  void set_tasks(grid::CampaignId campaign, int tasks) {
    execute(fmt::format("UPDATE campaigns SET total = {} WHERE id = {}", tasks, campaign.value()));
  }
  store::views::Forecast forecast_of(grid::CampaignId campaign) {
    std::optional<store::views::Campaign> seen;
    transact([&](store::Transaction& transaction) { seen = store::views::campaign(transaction, campaign); });
    return seen->forecast;
  }
};

TEST_F(Forecasts, WhereEachPrologueFailed_OrTheUserHasNoAccount_SayThatNoClusterTakesTasks) {
  const auto campaign = a_campaign(10);
  const auto method = [&] {
    predict();
    return forecast_of(campaign).method;
  };
  const auto fail_on = [&](grid::ClusterId cluster) {
    execute(fmt::format(
        "UPDATE campaign_clusters SET prologue = 'p', prepared = true WHERE cluster_id = {0}; INSERT INTO tasks (campaign_id, number, "
        "parameter, state) VALUES ({1}, prologue_on({0}), '', 'failed')",
        cluster.value(), campaign.value()));
  };
  EXPECT_EQ(method(), "walltime");
  fail_on(alpha);
  EXPECT_EQ(method(), "walltime") << "beta is left";
  fail_on(beta);
  EXPECT_EQ(method(), "closed");
  EXPECT_EQ(value("SELECT end_at IS NULL FROM campaign_forecasts"), "t");
  execute("UPDATE campaign_clusters SET prologue = ''");
  EXPECT_EQ(method(), "walltime");
  execute("UPDATE campaigns SET user_name = 'al.ice'");
  EXPECT_EQ(method(), "closed");
}

TEST_F(Forecasts, OfACampaignWithHeldTasks_PromiseNoEnd_UntilTheyAreReleased) {
  const auto campaign = a_campaign(10);
  const auto hold = [&](text::Range range) {
    transact([&](store::Transaction& t) { EXPECT_TRUE(store::hold_tasks(t, campaign, std::array{range}, "alice", now)); });
  };
  predict();
  EXPECT_TRUE(forecast_of(campaign).end);
  hold({3, 4});
  EXPECT_EQ(forecast_of(campaign).method, "held") << "before the predictor sees it";
  EXPECT_FALSE(forecast_of(campaign).end);
  predict();
  EXPECT_EQ(forecast_of(campaign).method, "held");
  EXPECT_TRUE(forecast_of(campaign).start) << "others start";
  hold({0, 9});
  predict();
  EXPECT_EQ(forecast_of(campaign).method, "held");
  EXPECT_FALSE(forecast_of(campaign).start);
  transact([&](store::Transaction& t) { EXPECT_TRUE(store::release_held_tasks(t, campaign, std::array{text::Range{0, 9}}, now)); });
  EXPECT_EQ(forecast_of(campaign).method, "none") << "until the predictor sees it";
  predict();
  EXPECT_EQ(forecast_of(campaign).method, "walltime");
  EXPECT_TRUE(forecast_of(campaign).end);
}

TEST_F(Forecasts, WhereNoNodeIsAlive_OrATestCampaignHadItsJob_OrOnlyAnEpilogueIsLeft_SayThat) {
  const auto campaign = a_campaign(10);
  const auto method = [&] {
    predict();
    return forecast_of(campaign).method;
  };
  predict();
  EXPECT_TRUE(forecast_of(campaign).end);
  execute("UPDATE gridstatus SET max_resources = 0, free = 0; UPDATE clusters SET suspected_resources = 16");
  EXPECT_EQ(method(), "no_resources");
  EXPECT_FALSE(forecast_of(campaign).end);
  execute("UPDATE campaign_clusters SET best_effort = false; UPDATE clusters SET reserved_resources = 2");
  EXPECT_NE(method(), "no_resources") << "its jobs may have those that OAR gives to no best-effort job";
  execute("UPDATE gridstatus SET max_resources = 16, free = 16; UPDATE clusters SET suspected_resources = 0");
  execute("UPDATE campaigns SET type = 'test'; UPDATE campaign_clusters SET active = true, concluded = 1");
  EXPECT_EQ(method(), "closed");
  execute("UPDATE campaign_clusters SET epilogue = 'e', epilogue_due = true, last_start_at = now() WHERE cluster_id = 1");
  execute("UPDATE tasks SET state = 'launching'; UPDATE tasks SET state = 'done'");
  EXPECT_EQ(method(), "epilogue");
  EXPECT_FALSE(forecast_of(campaign).end);
}

/// All that the last cycle submitted is over, and the resources are free again.
TEST_F(Forecasts, OfJobsThatAreShort_SayThatAResourceIsWorthMore_AsFarAsTheBoundAllows) {
  store::PredictionPair pair;
  pair.campaign = grid::CampaignId{1};
  pair.cluster = alpha;
  pair.resources_per_job = 1;
  pair.forecast_ratio = 1.0;
  pair.active = true;
  pair.last_submitted = 24;
  pair.last_offered = pair.free_resources = pair.max_resources = 16;
  pair.flood = 0.5;
  pair.reachable = true;
  pair.walltime = 600;
  store::PredictionCampaign campaign;
  campaign.id = pair.campaign;
  campaign.submitted_at = now;
  campaign.remaining = 1000;
  const store::PredictionFacts facts{.pairs = {pair}, .campaigns = {campaign}};
  for (const auto* algorithm : {"slow-start", "adaptive-down-exponential-up"}) {
    auto config = process::build_config({}, {}).value();
    config.predictor_algorithm = algorithm;
    EXPECT_DOUBLE_EQ(predictor::forecasts_of(facts, config, now).at(0).pairs.at(0).job_ratio, 2.0) << algorithm;
    config.job_ratio_max = 1.5;
    EXPECT_DOUBLE_EQ(predictor::forecasts_of(facts, config, now).at(0).pairs.at(0).job_ratio, 1.5) << algorithm;
    config.job_ratio_max = 1;
    EXPECT_DOUBLE_EQ(predictor::forecasts_of(facts, config, now).at(0).pairs.at(0).job_ratio, 1.0) << algorithm;
  }
}

/// The cycle is 5 s.
TEST_F(Forecasts, Document003_OfJobsShorterThanACycle_SayThatAResourceCarriesOutMoreUntilTheNext_UnlessTheyTakeSeveralTasks) {
  store::PredictionPair pair;
  pair.campaign = grid::CampaignId{1};
  pair.cluster = alpha;
  pair.forecast_ratio = 1.0;
  pair.active = pair.reachable = true;
  pair.max_resources = 16;
  pair.done = pair.resources_jobs = pair.resources_sum = 10;
  store::PredictionCampaign campaign;
  campaign.id = pair.campaign;
  campaign.submitted_at = now;
  const auto config = process::build_config({}, {}).value();
  const auto ratio_of = [&](double mean) {
    pair.duration_sum = mean * static_cast<double>(pair.done);
    return predictor::forecasts_of({.pairs = {pair}, .campaigns = {campaign}}, config, now).at(0).pairs.at(0).job_ratio;
  };
  EXPECT_DOUBLE_EQ(ratio_of(2.5), 2.0);
  EXPECT_DOUBLE_EQ(ratio_of(3), 1.0) << "the second one would not be over";
  EXPECT_DOUBLE_EQ(ratio_of(60), 1.0);
  EXPECT_DOUBLE_EQ(ratio_of(0), 2.0) << "a start takes OAR 2 s, whatever its clock shows";
  pair.start_cost = 4;
  EXPECT_DOUBLE_EQ(ratio_of(0), 1.0);
  pair.start_cost = 2;
  campaign.pools = true;
  EXPECT_DOUBLE_EQ(ratio_of(0), 1.0);
  pair.pools_refused = true;
  EXPECT_DOUBLE_EQ(ratio_of(0), 2.0);
  pair.flood = 0.5;
  EXPECT_DOUBLE_EQ(ratio_of(0), 1.0) << "one more waits within the flood";
  pair.flood = 0;
  pair.resources_sum = 20;
  EXPECT_DOUBLE_EQ(ratio_of(0), 1.0) << "two resources carry out two jobs";
  pair.done = 2;
  EXPECT_DOUBLE_EQ(ratio_of(0), 0.5) << "two ends prove nothing";
}

/// The first ratio leaves most resources free, and the algorithms that double learn more than the one that waits for a start.
TEST_F(Forecasts, Document003_ByWaste_KeepWhatEachAlgorithmWouldHaveWasted_AndTakeTheLeastWasteful) {
  const auto campaign = a_campaign(100, {"alpha"});
  auto config = process::build_config({}, {}).value();
  config.predictor_algorithm = "auto";
  execute("UPDATE campaign_clusters SET active = true WHERE campaign_id = " + std::to_string(campaign.value()));
  const auto cycle = [&] {
    execute(
        "INSERT INTO forecasts AS f (campaign_id, cluster_id, job_ratio, nsub, offered) SELECT campaign_id, cluster_id, 0.125, 2, 16 "
        "FROM campaign_clusters WHERE campaign_id = " +
        std::to_string(campaign.value()) +
        " ON CONFLICT (campaign_id, cluster_id) DO UPDATE SET nsub = greatest(1, floor(16 * f.job_ratio)), offered = 16");
    predict(config);
  };
  cycle();
  EXPECT_EQ(value("SELECT count(*) FROM algorithm_trials WHERE waste > 0"), "5");
  EXPECT_EQ(value("SELECT algorithm || ' ' || job_ratio FROM forecasts"), "measured 0.125") << "each would have wasted as much";
  cycle();
  const auto chosen = value("SELECT algorithm FROM forecasts");
  EXPECT_EQ(chosen, value("SELECT algorithm FROM algorithm_trials ORDER BY waste LIMIT 1"));
  EXPECT_NE(chosen, "measured");
  EXPECT_EQ(value("SELECT f.job_ratio = t.job_ratio FROM forecasts f JOIN algorithm_trials t USING (campaign_id, cluster_id, algorithm)"),
            "t");
  execute("UPDATE campaigns SET state = 'cancelled', ended_at = now() WHERE id = " + std::to_string(campaign.value()));
  const auto other = a_campaign(5, {"alpha"});
  execute("UPDATE campaign_clusters SET active = true WHERE campaign_id = " + std::to_string(other.value()));
  predict(config);
  EXPECT_EQ(value("SELECT string_agg(DISTINCT campaign_id::text, ' ') FROM algorithm_trials"), std::to_string(other.value()));
}

TEST_F(Forecasts, WithoutAnyEvidence_RestOnTheWalltime_AndStartAtTheNextCycle) {
  const auto campaign = a_campaign(10);
  predict();
  const auto forecast = forecast_of(campaign);
  EXPECT_EQ(forecast.method, "walltime");
  ASSERT_TRUE(forecast.start && forecast.start_between && forecast.end && forecast.end_between);
  EXPECT_LT(*forecast.start - now, std::chrono::minutes{1});
  EXPECT_LE(forecast.end_between->earliest, *forecast.end);
  EXPECT_GE(forecast.end_between->latest, *forecast.end);
}

TEST_F(Forecasts, OfACommandThatTheUserRanBefore_RestOnHowLongItTook) {
  const auto before = a_campaign(4);
  execute("UPDATE campaign_clusters SET done = 4, duration_sum = 400, duration_squares = 41000 WHERE campaign_id = " +
          std::to_string(before.value()));
  execute("UPDATE campaigns SET state = 'terminated', ended_at = now() WHERE id = " + std::to_string(before.value()));
  const auto campaign = a_campaign(10);
  predict();
  const auto forecast = forecast_of(campaign);
  EXPECT_EQ(forecast.method, "history");
  EXPECT_LT(*forecast.end - now, std::chrono::minutes{5});
}

TEST_F(Forecasts, AreWrittenOfEachCampaign_AndOfPairsThatHadAJob) {
  const auto fresh = a_campaign(10), started = a_campaign(10);
  static_cast<void>(launched(started, beta, 2));
  predict();
  const auto rows = [&](grid::CampaignId campaign) {
    return value("SELECT coalesce(string_agg(cluster_id::text, ' '), '') FROM forecasts WHERE campaign_id = " +
                 std::to_string(campaign.value()));
  };
  EXPECT_EQ(rows(fresh), "");
  EXPECT_EQ(rows(started), std::to_string(beta.value()));
  EXPECT_TRUE(forecast_of(fresh).end && forecast_of(started).end);
}

TEST_F(Forecasts, ThatAreKept_HaveWhatEachClusterGotAndDid) {
  const auto campaign = a_campaign(10);
  static_cast<void>(launched(campaign, beta, 2));
  execute("UPDATE campaign_clusters SET running = 2 WHERE cluster_id = " + std::to_string(beta.value()));
  execute("INSERT INTO forecasts (campaign_id, cluster_id, job_ratio, nsub) VALUES (" + std::to_string(campaign.value()) + ", " +
          std::to_string(beta.value()) + ", 1, 7)");
  predict();
  const auto history = history_of(campaign);
  ASSERT_EQ(history.size(), 1U);
  ASSERT_EQ(history[0].pairs.size(), 1U) << "alpha had no job";
  const auto& pair = history[0].pairs[0];
  EXPECT_EQ(pair.cluster, "beta");
  EXPECT_EQ(pair.submitted, 7);
  EXPECT_EQ(pair.running, 2);
  EXPECT_EQ(fmt::format("{} {} {}", pair.job_ratio, pair.throughput, pair.algorithm),
            value("SELECT concat_ws(' ', job_ratio, throughput, algorithm) FROM forecasts"));
  predict();
  EXPECT_EQ(value("SELECT count(*) FROM pair_history"), "1") << "with a kept forecast alone";
  execute("DELETE FROM forecast_history");
  EXPECT_EQ(value("SELECT count(*) FROM pair_history"), "0") << "and as long as that";
}

TEST_F(Forecasts, NoteWhyARatioChanged_AndOnlyThen) {
  auto config = process::build_config({}, {}).value();
  config.predictor_algorithm = "two-way-adaptive";
  const auto campaign = a_campaign(100);
  static_cast<void>(launched(campaign, beta, 20));
  const auto change = [&] {
    return value(
        "SELECT concat_ws(' ', job_ratio < ratio_before, ratio_before, verdict, seen_nsub, seen_offered, seen_waiting, seen_free, "
        "changed_at) FROM forecasts");
  };
  predict(config);
  EXPECT_EQ(value("SELECT changed_at IS NULL FROM forecasts"), "t") << "the first ratio";
  execute("UPDATE forecasts SET job_ratio = 2, nsub = 20, offered = 8");
  execute("UPDATE campaign_clusters SET waiting = 20, last_start_at = NULL WHERE cluster_id = " + std::to_string(beta.value()));
  now += std::chrono::minutes{10};
  execute(fmt::format("UPDATE gridstatus SET free = 0, time = instant({}) WHERE cluster_id = {}", now.time_since_epoch().count(),
                      beta.value()));
  predict(config);
  const auto noted = change();
  EXPECT_THAT(noted, testing::StartsWith("t 2 too_big 20 8 20 0 "));
  execute("UPDATE forecasts SET nsub = 0, offered = 0");
  now += std::chrono::minutes{10};
  predict(config);
  EXPECT_EQ(change(), noted) << "nothing was sent: nothing was shown";
}

TEST_F(Forecasts, OnClustersThatWereNeverSeen_AreNone) {
  execute("DELETE FROM gridstatus WHERE cluster_id = " + std::to_string(alpha.value()));
  const auto campaign = a_campaign(10);
  for (const auto cluster : {alpha, beta}) static_cast<void>(launched(campaign, cluster, 2));
  predict();
  EXPECT_EQ(value("SELECT string_agg(cluster_id::text, ' ') FROM forecasts"), std::to_string(beta.value()));
  execute("DELETE FROM gridstatus; DELETE FROM campaign_forecasts");
  predict();
  EXPECT_EQ(value("SELECT count(*) FROM campaign_forecasts"), "0");
}

TEST_F(Forecasts, AreKeptWhenTheEndHasMoved_AsTheyWereMade) {
  const auto campaign = a_campaign(1000);
  const auto first_made = now;
  predict();
  const auto first = forecast_of(campaign);
  EXPECT_EQ(first.made, first_made);
  now += std::chrono::minutes{2};
  predict();
  ASSERT_EQ(history_of(campaign).size(), 1U) << "the end moved by two minutes of five hours";
  EXPECT_EQ(forecast_of(campaign).made, now);
  set_tasks(campaign, 10);
  now += std::chrono::seconds{5};
  predict();
  const auto history = history_of(campaign);
  ASSERT_EQ(history.size(), 2U);
  EXPECT_EQ(history[0].made, first_made);
  EXPECT_EQ(history[0].end, first.end);
  EXPECT_EQ(history[0].end_between, first.end_between);
  EXPECT_EQ(history[0].method, "walltime");
  EXPECT_EQ(history[1].made, now);
  EXPECT_EQ(history[1].end, forecast_of(campaign).end);
  set_tasks(campaign, 1000);
  now += std::chrono::seconds{5};
  predict();
  EXPECT_EQ(history_of(campaign).size(), 2U) << "the last one is not a minute old";
}

TEST_F(Forecasts, OfAnEndThatMovesInEachCycle_AreKeptInABoundedNumber) {
  const auto other = a_campaign(1000), campaign = a_campaign(10);
  for (int cycle = 0; cycle < 240; ++cycle, now += std::chrono::seconds{30}) {
    set_tasks(campaign, cycle / 2 % 2 == 0 ? 10 : 10'000);
    predict();
  }
  EXPECT_LE(history_of(campaign).size(), 57U) << "21 in 20 minutes, then one in each twentieth of the age";
  EXPECT_GE(history_of(campaign).size(), 30U);
  EXPECT_LE(history_of(other).size(), 10U) << "its end moves with the clock alone";
}

TEST_F(Forecasts, WithoutAnEnd_AreNotKept) {
  const auto campaign = a_campaign(10);
  execute("UPDATE clusters SET reachable = false");
  predict();
  EXPECT_EQ(forecast_of(campaign).method, "closed");
  EXPECT_FALSE(forecast_of(campaign).end);
  EXPECT_TRUE(history_of(campaign).empty());
}

TEST_F(Forecasts, OfCampaignsThatNothingIsSentFor_SayWhy) {
  const auto is_without = [&](grid::CampaignId campaign, const std::string& method) {
    const auto forecast = forecast_of(campaign);
    EXPECT_EQ(forecast.method, method);
    return !forecast.end && !forecast.end_between && !forecast.start && !forecast.start_between;
  };
  const auto held = a_campaign(10), braked = a_campaign(10), on_alpha = a_campaign(10, {"alpha"}), on_both = a_campaign(10);
  predict();
  for (const auto campaign : {held, braked, on_alpha, on_both}) EXPECT_TRUE(forecast_of(campaign).end);
  transact([&](store::Transaction& transaction) {
    EXPECT_TRUE(store::hold_campaign(transaction, held));
    const store::BrakeLength minute{grid::Seconds{60}, grid::Seconds{60}};
    store::set_brake(transaction, {.campaign = braked, .cluster = {}}, "why", minute, now);
    store::set_brake(transaction, {.campaign = {}, .cluster = alpha}, "why", minute, now);
  });
  EXPECT_TRUE(is_without(held, "paused")) << "at once, before the next cycle";
  predict();
  EXPECT_TRUE(is_without(held, "paused"));
  EXPECT_TRUE(is_without(braked, "braked"));
  EXPECT_TRUE(is_without(on_alpha, "braked"));
  EXPECT_TRUE(forecast_of(on_both).end) << "beta takes its tasks";
  execute("UPDATE clusters SET enabled = false");
  predict();
  EXPECT_TRUE(is_without(on_both, "closed"));
  execute("UPDATE clusters SET enabled = true");
  transact([&](store::Transaction& transaction) { EXPECT_TRUE(store::resume_campaign(transaction, held, now)); });
  EXPECT_TRUE(is_without(held, "none")) << "no cycle has seen it resumed";
  now += std::chrono::minutes{2};
  predict();
  for (const auto campaign : {held, braked, on_alpha, on_both}) EXPECT_TRUE(forecast_of(campaign).end) << "the brakes are over";
}

/// The predictor believes the last plan of what an administrator alone lifts.
TEST_F(Forecasts, WhereALimitOfNothing_OrAKeepOfAllThatIsThere_StopsACampaign_PromiseNoEnd) {
  const auto campaign = a_campaign(10, {"alpha"});
  const auto method = [&] {
    static_cast<void>(metascheduler::run_once(process::build_config({}, {}).value(), database, term, now));
    predict();
    return forecast_of(campaign).method;
  };
  execute("INSERT INTO limits (kind, most, user_name) VALUES ('running_jobs', 0, 'alice')");
  EXPECT_EQ(method(), "closed");
  EXPECT_EQ(value("SELECT end_at IS NULL AND start_at IS NULL FROM campaign_forecasts"), "t");
  execute(
      "DELETE FROM limits; INSERT INTO keeps (name, cluster_id, percent, user_name) SELECT 'all', id, 100, 'bob' FROM clusters WHERE name = 'alpha'");
  EXPECT_EQ(method(), "closed");
  execute("UPDATE keeps SET percent = 50");
  EXPECT_EQ(method(), "walltime") << "half of the cluster is left";
  execute("UPDATE campaign_clusters SET resources = '/core=10', resources_per_job = 10 WHERE campaign_id = " +
          std::to_string(campaign.value()));
  EXPECT_EQ(method(), "closed") << "that is too little for a job";
  execute("DELETE FROM keeps; INSERT INTO limits (kind, most, user_name) VALUES ('resources', 8, 'alice')");
  EXPECT_EQ(method(), "closed") << "and so is the limit";
  execute("UPDATE limits SET most = 10");
  EXPECT_EQ(method(), "walltime");
  execute(
      "DELETE FROM limits; INSERT INTO limits (kind, most, user_name) VALUES ('resource_seconds', 100, 'alice'); "
      "INSERT INTO usage (day, cluster_id, user_name, project, resource_seconds) SELECT now()::date, id, 'alice', '', 200 "
      "FROM clusters WHERE name = 'alpha'");
  EXPECT_EQ(method(), "closed") << "until what was used leaves the window of a day";
}

/// Its tasks take ten minutes at most, and alpha has 16 cores.
TEST_F(Forecasts, WhereALimitSlowsACampaignDown_CountTheJobsThatItAllows) {
  const auto campaign = a_campaign(80, {"alpha"});
  const auto walltimes = [&] {
    static_cast<void>(metascheduler::run_once(process::build_config({}, {}).value(), database, term, now));
    predict();
    return std::chrono::round<std::chrono::minutes>(*forecast_of(campaign).end - now) / std::chrono::minutes{10};
  };
  EXPECT_EQ(walltimes(), 5) << "sixteen at a time";
  execute("INSERT INTO limits (kind, most, user_name, each_of) VALUES ('running_jobs', 4, NULL, 'user')");
  EXPECT_EQ(walltimes(), 20) << "four at a time";
  execute("DELETE FROM limits");
  EXPECT_EQ(walltimes(), 5) << "the limit is lifted";
}

/// Both are of alice, and the first has all that the limit allows.
TEST_F(Forecasts, OfACampaignThatWaitsForAnotherOnTheirLimit_StartWhenThatOneHasNoMoreTasks) {
  const auto first = a_campaign(40, {"alpha"});
  const auto second = a_campaign(10, {"alpha"});
  execute("INSERT INTO limits (kind, most, user_name) VALUES ('running_jobs', 4, 'alice')");
  static_cast<void>(metascheduler::run_once(process::build_config({}, {}).value(), database, term, now));
  static_cast<void>(metascheduler::run_once(process::build_config({}, {}).value(), database, term, now));
  predict();
  const auto start = forecast_of(second).start;
  ASSERT_TRUE(start);
  EXPECT_GT(*start - now, std::chrono::minutes{90}) << "36 tasks of ten minutes before it, four at a time";
  EXPECT_LT(*forecast_of(first).start - now, std::chrono::minutes{1});
}

TEST_F(Forecasts, OfTwoTurnsAtOnce_AreThoseOfTheFirst) {
  const auto config = process::default_config();
  static_cast<void>(launched(a_campaign(4), alpha, 2));
  store::Database other{conninfo};
  {
    auto slow = other.begin(term);
    ASSERT_TRUE(store::try_lock_until_commit(slow, store::Database::Work::predict));
    EXPECT_EQ(predictor::run_once(config, database, term, now).campaigns, 0);
    EXPECT_EQ(value("SELECT count(*) FROM campaign_forecasts"), "0");
  }
  EXPECT_GT(predictor::run_once(config, database, term, now).campaigns, 0);
}

}  // namespace
}  // namespace gleaner::tests
