// The first jobs of a campaign on a cluster, before any of them has shown what it takes.
#include <gtest/gtest.h>

#include "metascheduler/snapshot_of.hpp"
#include "metascheduler/submitted_of.hpp"
#include "tests/unit/planner_builders.hpp"

namespace gleaner::planner::test {
namespace {

/// A campaign of whole nodes on a cluster of 16 free resources, of which a node has so many (0: unknown), with a flood of 8.
grid::PlanningFacts whole_nodes(int max_node_resources) {
  auto snapshot = one_of_each();
  grid::PlanningFacts facts;
  facts.clusters.emplace_back(snapshot.clusters[0]);
  facts.clusters[0].flood = 0.5;
  facts.clusters[0].max_node_resources = max_node_resources;
  facts.clusters[0].status_at = grid::from_unix(1000);
  facts.campaigns.emplace_back(snapshot.campaigns[0]);
  facts.pairs.emplace_back(snapshot.pairs[0]);
  facts.pairs[0].resources_per_job.reset();
  facts.pairs[0].login = "ada";
  return facts;
}

Plan made(const grid::PlanningFacts& facts) {
  process::Config config;
  config.status_max_age = std::chrono::seconds{60};
  config.failures_before_brake = 3;
  config.campaign_scheduler = "workqueue";
  return plan(metascheduler::snapshot_of(facts, config, grid::from_unix(1001)), PlannerConfig{});
}

TEST(FirstJobs, OfARequestThatLeavesTheResourcesOpen_TakeTheBiggestNode) {
  EXPECT_EQ(made(whole_nodes(4)), (Expect{.launched = {{1, 1, 6}}})) << "16 + 8 resources";
  EXPECT_EQ(made(whole_nodes(0)), (Expect{.launched = {{1, 1, 24}}})) << "the nodes are unknown: one resource each";
}

TEST(FirstJobs, AreCountedAtTheRatioThatThePredictorBeginsWith) {
  const auto facts = whole_nodes(4);
  const auto submitted = metascheduler::submitted_of(made(facts), facts);
  ASSERT_EQ(submitted.size(), 1U);
  EXPECT_EQ(submitted[0].jobs, 6);
  EXPECT_DOUBLE_EQ(submitted[0].first_ratio, 0.25);
}

TEST(FirstJobs, FollowTheForecast_OnceThereIsOne) {
  auto facts = whole_nodes(4);
  facts.pairs[0].active = true;
  facts.pairs[0].forecast_ratio = 0.125;
  EXPECT_EQ(made(facts), (Expect{.launched = {{1, 1, 3}}}));
}

}  // namespace
}  // namespace gleaner::planner::test
