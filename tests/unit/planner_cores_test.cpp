// Document 002, "Resource Listing": the fastest free cores are chosen first, then a project is drawn among those that are compatible with
// them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "metascheduler/planner/plan.hpp"
#include "tests/unit/planner_builders.hpp"

namespace gleaner::planner::test {
namespace {

const PlannerConfig kDraws{.campaign_order = "tickets", .placement = "power"};

/// John's project runs on fast and slow cores, a hundred of each, Alice's on slow ones alone.
Snapshot john_on_both_alice_on_slow_cores() {
  Snapshot snapshot{.clusters = {a_cluster(1, "slow"), a_cluster(2, "fast")},
                    .campaigns = {a_campaign(1, 1000), a_campaign(2, 1000)},
                    .pairs = {a_pair(1, 1), a_pair(1, 2), a_pair(2, 1)}};
  for (auto& cluster : snapshot.clusters) cluster.max_resources = cluster.free_resources = 100;
  snapshot.clusters[1].power = 2.0;
  snapshot.campaigns[0].user = "John";
  snapshot.campaigns[1].user = "Alice";
  snapshot.now = grid::from_unix(10'000);
  return snapshot;
}

TEST(Document002, TheFastestCores_AreDrawnFor_AmongTheProjectsThatAreCompatibleWithThem) {
  auto snapshot = john_on_both_alice_on_slow_cores();
  int johns = 0;
  constexpr int kPlans = 40;
  for (int i = 0; i < kPlans; ++i) {
    snapshot.seed = static_cast<std::uint64_t>(i);
    const auto result = plan(snapshot, kDraws);
    EXPECT_EQ(jobs_on(result, 1, 2), 100) << "nobody else is in the draw for the fast cores";
    EXPECT_EQ(jobs_on(result, 1, 1) + jobs_on(result, 2, 1), 100);
    johns += jobs_on(result, 1, 1);
  }
  // Among the two rankings John's is greater, by the resources and the power that he has won; so he has fewer tickets, not none.
  EXPECT_GT(johns, kPlans * 20);
  EXPECT_LT(johns, kPlans * 50);
}

TEST(CoreDraw, WithClustersOfOneSpeed_IsOneDraw_AfterWhichTheWinnerChooses) {
  auto snapshot = john_on_both_alice_on_slow_cores();
  snapshot.clusters[1].power = 1.0;
  snapshot.pairs[1].priority = 2;  // John prefers it
  const auto result = plan(snapshot, kDraws);
  EXPECT_EQ(jobs_on(result, 1, 2), 100);
  EXPECT_LT(jobs_on(result, 1, 1), 20) << "Alice wins the slow cores while John wins the others";
}

TEST(CoreDraw, IsNotMadeForAPlacementThatRanksTheClustersByCampaign) {
  auto snapshot = john_on_both_alice_on_slow_cores();
  const auto result = plan(snapshot, {.campaign_order = "tickets", .placement = "fastest"});
  EXPECT_EQ(jobs_on(result, 1, 2), 100);
  EXPECT_LT(jobs_on(result, 1, 1), 20);
}

TEST(CoreDraw, LeavesOutAProject_WhileItPrefersOtherFreeCores) {
  auto snapshot = john_on_both_alice_on_slow_cores();
  snapshot.campaigns[0].waiting_tasks = 60;
  snapshot.pairs[0].priority = 2;  // John prefers the slow ones
  snapshot.pairs[2].cluster = cluster_id(2);
  const auto result = plan(snapshot, kDraws);
  EXPECT_EQ(outcome_of(result).launched, (std::vector<Expect::Jobs>{{1, 1, 60}, {2, 2, 100}}));
}

TEST(CoreDraw, OfferNoCoresToAProject_ThatLacksItsInputFilesThere) {
  auto snapshot = john_on_both_alice_on_slow_cores();
  snapshot.pairs[1].missing_inputs = grid::MissingInputs{.bytes = 1000};
  const auto result = plan(snapshot, kDraws);
  EXPECT_EQ(jobs_on(result, 1, 2), 0);
  EXPECT_EQ(jobs_on(result, 1, 1) + jobs_on(result, 2, 1), 100);
  EXPECT_THAT(outcome_of(result).inputs, testing::ElementsAre(Expect::Pair{1, 2}));
}

TEST(CoreDraw, FillsNoQueue_WhileSlowerCoresAreFree) {
  auto snapshot = john_on_both_alice_on_slow_cores();
  for (auto& cluster : snapshot.clusters) cluster.flood = 1.0;
  snapshot.campaigns[0].waiting_tasks = 150;
  snapshot.campaigns.pop_back();
  snapshot.pairs.pop_back();
  EXPECT_EQ(outcome_of(plan(snapshot, kDraws)).launched, (std::vector<Expect::Jobs>{{1, 1, 50}, {1, 2, 100}}));
}

TEST(CoreDraw, LetsQueuesBeFilledAfterIt) {
  auto snapshot = john_on_both_alice_on_slow_cores();
  for (auto& cluster : snapshot.clusters) cluster.flood = 1.0;
  const auto result = plan(snapshot, kDraws);
  EXPECT_EQ(jobs_on(result, 1, 2), 200);
  EXPECT_EQ(jobs_on(result, 1, 1) + jobs_on(result, 2, 1), 200);
}

TEST(CoreDraw, AWideJobThatFitsNowhere_IsHeldResourcesFor_AsWithoutIt) {
  auto snapshot = john_on_both_alice_on_slow_cores();
  snapshot.campaigns[0].waiting_tasks = 1;
  for (auto* pair : {&snapshot.pairs[0], &snapshot.pairs[1]}) {
    pair->resources_per_job = 80;
    pair->job_ratio = 1.0 / 80;
    pair->walltime = 3600;
  }
  snapshot.pairs[2].walltime = 3600;
  snapshot.pairs[2].live_jobs = snapshot.clusters[0].our_jobs = 50;
  snapshot.clusters[0].endings = {{600, 50}};
  snapshot.clusters[0].free_resources = 50;
  snapshot.clusters[1].free_resources = 0;
  EXPECT_EQ(outcome_of(plan(snapshot, kDraws)).held.size(), 1U);
}

TEST(CoreDraw, APoolTakesNoMoreOfTheBag_ThanWithoutIt) {
  auto snapshot = john_on_both_alice_on_slow_cores();
  snapshot.campaigns.pop_back();
  snapshot.pairs.pop_back();
  snapshot.campaigns[0].grouping = grid::Grouping::on;
  snapshot.campaigns[0].waiting_tasks = 4000;
  for (auto& pair : snapshot.pairs) pair.mean_duration = 1.0;
  const auto tasks_on = [&](const PlannerConfig& config) {
    std::vector<std::int64_t> tasks{0, 0};
    for (const auto& launch : plan(snapshot, config).launches)
      tasks[static_cast<std::size_t>(launch.cluster.value() - 1)] += launch.jobs + launch.pooled;
    return tasks;
  };
  EXPECT_EQ(tasks_on(kDraws), tasks_on({.campaign_order = "fifo", .placement = "power"}));
}

}  // namespace
}  // namespace gleaner::planner::test
