#include <gtest/gtest.h>

#include <fmt/format.h>

#include "lib/process/options.hpp"
#include "lib/store/kills.hpp"
#include "metascheduler/metascheduler.hpp"
#include "tests/db/grid_fixture.hpp"

namespace gleaner::tests {
namespace {

class Planning : public GridFixture {
 protected:
  [[nodiscard]] store::PlanningFacts facts() {
    store::PlanningFacts facts;
    transact([&](store::Transaction& transaction) { facts = store::planning_facts(transaction, {0.5, 500}, now); });
    return facts;
  }
  [[nodiscard]] std::string active() { return value("SELECT string_agg(campaign_id || ':' || cluster_id, ' ' ORDER BY 1) FROM campaign_clusters WHERE active"); }
};

TEST_F(Planning, APairThatHadNoJob_IsToldAsItsJdlAsks) {
  const auto campaign = a_campaign(3);
  execute("UPDATE campaign_clusters SET priority = 20, resources_per_job = NULL, walltime_s = 90, max_jobs = 7 WHERE cluster_id = " + std::to_string(beta.value()));
  const auto pairs = facts().pairs;
  ASSERT_EQ(pairs.size(), 2U);
  EXPECT_EQ(pairs[0].campaign, campaign);
  EXPECT_EQ(pairs[0].cluster, alpha);
  EXPECT_EQ(pairs[0].resources_per_job, 1);
  EXPECT_EQ(pairs[0].max_jobs, std::nullopt);
  EXPECT_EQ(pairs[0].walltime, 600);
  EXPECT_EQ(pairs[0].login, "alice");
  EXPECT_EQ(pairs[1].cluster, beta);
  EXPECT_EQ(pairs[1].priority, 20);
  EXPECT_EQ(pairs[1].resources_per_job, std::nullopt);
  EXPECT_EQ(pairs[1].walltime, 90);
  EXPECT_EQ(pairs[1].max_jobs, 7);
  EXPECT_EQ(active(), "");
}

TEST_F(Planning, PairsThatAskTheSame_AreToldShortly_AndLikeTheOthers) {
  execute("INSERT INTO clusters (name, url) SELECT 'c' || i, 'http://127.0.0.1:1/' || i FROM generate_series(3, 6) i");
  static_cast<void>(a_campaign(3, {"alpha", "beta", "c3", "c4", "c5", "c6"}));
  execute("UPDATE campaign_clusters SET walltime_s = 90, max_jobs = 2 WHERE cluster_id IN (SELECT id FROM clusters WHERE name IN ('c3', 'c4'))");
  const auto id = [&](const std::string& name) { return value("SELECT id FROM clusters WHERE name = '" + name + "'"); };
  EXPECT_EQ(value("SELECT asked FROM campaigns"),
            id("alpha") + ":1:1:600: " + id("beta") + " " + id("c3") + ":1:1:90:2 " + id("c4") + " " + id("c5") + ":1:1:600: " + id("c6"));
  std::string told;
  for (const auto& pair : facts().pairs) told += fmt::format("{}/{} ", pair.walltime, pair.max_jobs.value_or(0));
  EXPECT_EQ(told, "600/0 600/0 90/2 90/2 600/0 600/0 ");
}

TEST_F(Planning, APairIsActive_FromItsFirstJobOn) {
  const auto campaign = a_campaign(3);
  static_cast<void>(launched(campaign, beta, 2));
  EXPECT_EQ(active(), std::to_string(campaign.value()) + ":" + std::to_string(beta.value()));
  const auto known = facts();
  EXPECT_EQ(known.pairs[0].waiting, 0);
  EXPECT_EQ(known.pairs[1].waiting, 2);
  EXPECT_TRUE(known.pairs[1].last_accept_at);
  EXPECT_EQ(known.campaigns.at(0).waiting, 1);
}

TEST_F(Planning, LoginsBrakesAndBoundTasks_GoToTheirPairsAndCampaigns) {
  const auto first = a_campaign(3), second = a_campaign(3), over = a_campaign(3);
  execute("INSERT INTO user_mappings VALUES ('alice', " + std::to_string(beta.value()) + ", 'al')");
  const auto brake = [&](grid::CampaignId campaign, const std::string& cluster, const std::string& reason) {
    execute("INSERT INTO brakes (campaign_id, cluster_id, reason, created_at, expires_at) VALUES (" + std::to_string(campaign.value()) + ", " + cluster + ", '" + reason +
            "', instant(0), instant(" + std::to_string((now + grid::Seconds{60}).time_since_epoch().count()) + "))");
  };
  brake(first, "NULL", "whole");
  brake(second, std::to_string(alpha.value()), "there");
  brake(over, "NULL", "gone");
  execute("UPDATE campaigns SET state = 'cancelled' WHERE id = " + std::to_string(over.value()));
  execute("UPDATE campaigns SET next_task = 2 WHERE id = " + std::to_string(second.value()));
  execute("INSERT INTO returned_tasks (campaign_id, number, cluster_id, returned_at) VALUES (" + std::to_string(second.value()) + ", 0, " + std::to_string(beta.value()) +
          ", instant(0)), (" + std::to_string(second.value()) + ", 1, NULL, instant(0))");
  const auto known = facts();
  ASSERT_EQ(known.campaigns.size(), 2U);
  ASSERT_EQ(known.pairs.size(), 4U);
  EXPECT_EQ(known.campaigns[0].brake.value().reason, "whole");
  EXPECT_FALSE(known.campaigns[1].brake);
  EXPECT_EQ(known.campaigns[1].waiting, 3);
  EXPECT_EQ(known.pairs[0].login, "alice");
  EXPECT_EQ(known.pairs[1].login, "al");
  EXPECT_FALSE(known.pairs[0].brake);
  EXPECT_EQ(known.pairs[2].brake.value().reason, "there");
  EXPECT_EQ(known.pairs[3].returned, 1);
  now += grid::Seconds{61};
  EXPECT_FALSE(facts().campaigns[0].brake);
}

TEST_F(Planning, WhatACycleSubmitted_IsKnownToTheNext) {
  const auto campaign = a_campaign(3);
  static_cast<void>(launched(campaign, alpha, 1));
  transact([&](store::Transaction& transaction) {
    const store::Submitted one{.campaign = campaign, .cluster = alpha, .jobs = 1, .offered = 4, .first_ratio = 0.5};
    store::write_submitted(transaction, std::vector{one}, now);
  });
  const auto known = facts();
  EXPECT_EQ(known.pairs[0].last_submitted, 1);
  EXPECT_EQ(known.pairs[0].job_ratio, 0.5);
  EXPECT_EQ(known.pairs[1].last_submitted, 0);
}

TEST_F(Planning, APairIsNotActive_WhenItsCampaignIsOverAndItsClaimsAreRemoved_UntilItGoesOn) {
  const auto campaign = a_campaign(3);
  static_cast<void>(launched(campaign, alpha, 1));
  execute("UPDATE campaigns SET state = 'terminated', ended_at = instant(0), failed = 1");
  EXPECT_TRUE(facts().pairs.empty());
  transact([&](store::Transaction& transaction) { store::note_cleaned(transaction, campaign, alpha, now); });
  EXPECT_EQ(active(), "");
  transact([&](store::Transaction& transaction) { static_cast<void>(store::retry_failed_tasks(transaction, campaign, now)); });
  EXPECT_EQ(facts().pairs.at(0).waiting, 1);
}

/// Cycles of the metascheduler on clusters of 8 resources, of which so many are free.
class PlanningCycle : public Planning {
 protected:
  void cycle(int free) {
    now += grid::Seconds{10};
    execute(fmt::format("UPDATE clusters SET reachable = true;"
                        "INSERT INTO gridstatus (cluster_id, time, max_resources, free, used, used_besteffort, our_running, our_waiting, reachable, api_latency_ms)"
                        "  SELECT id, instant({}), 8, {}, 8 - {}, 0, 0, 0, true, 5 FROM clusters",
                        now.time_since_epoch().count(), free, free));
    auto config = process::build_config({}, {}).value();
    config.flood = 0;
    metascheduler::run_once(config, database, term, now);
  }
  std::string submitted() { return value("SELECT string_agg(cluster_id || ':' || nsub || ' of ' || offered, ' ' ORDER BY cluster_id) FROM forecasts"); }
};

TEST_F(PlanningCycle, WhatItSubmits_IsWrittenForThePredictor_AndNothingOfIt_AfterACycleThatSubmitsNothing) {
  static_cast<void>(a_campaign(100, {"alpha"}));
  cycle(3);
  EXPECT_EQ(submitted(), fmt::format("{}:3 of 3", alpha.value()));
  cycle(3);
  EXPECT_EQ(submitted(), fmt::format("{}:0 of 0", alpha.value()));
}

TEST_F(PlanningCycle, WhatTheBagDidNotHold_IsNotSaidToBeSubmitted) {
  const auto campaign = a_campaign(3, {"alpha"});
  execute(fmt::format("ALTER TABLE tasks DISABLE TRIGGER USER; UPDATE tasks SET state = 'cancelled' WHERE campaign_id = {} AND number > 0; ALTER TABLE tasks ENABLE TRIGGER USER", campaign.value()));
  cycle(3);
  EXPECT_EQ(submitted(), fmt::format("{}:1 of 3", alpha.value()));
}

TEST_F(PlanningCycle, ThatRepeatsTheLast_WritesNoDecision) {
  static_cast<void>(a_campaign(100));
  cycle(3);
  cycle(3);
  const auto versions = [&] { return value("SELECT string_agg(cluster_id || ':' || xmin, ' ' ORDER BY cluster_id) || (SELECT string_agg(xmin::text, ' ') FROM decided) FROM decisions"); };
  const auto before = versions();
  cycle(3);
  EXPECT_EQ(versions(), before);
  cycle(2);
  EXPECT_NE(versions(), before);
}

}  // namespace
}  // namespace gleaner::tests
