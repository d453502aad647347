#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/planner_builders.hpp"

namespace gleaner::planner::test {
namespace {

using testing::ElementsAre;

/// A full cluster: a lowest campaign runs 16 jobs; a normal one wants 5.
Snapshot full_of_lowest() {
  auto snapshot = one_of_each();
  snapshot.campaigns = {a_campaign(1, 100), a_campaign(2, 5)};
  snapshot.campaigns[0].priority = kLowestPriority;
  snapshot.pairs.push_back(a_pair(2, 1));
  snapshot.pairs[0].live_jobs = 16;
  snapshot.clusters[0].free_resources = 0;
  return snapshot;
}

TEST(Preemption, LowestJobs_GiveWayToNormalOnes_NoMoreThanAreNeeded) {
  auto snapshot = full_of_lowest();
  const auto result = plan(snapshot);
  EXPECT_THAT(result.preemptions, ElementsAre(Preemption{campaign_id(1), cluster_id(1), 5}));
  EXPECT_EQ(result, (Expect{.stopped = {{1, 1, "no_free_resources"}, {2, 1, "preempting"}}, .preempted = {{1, 1, 5}}}));
  snapshot.pairs[0].dying_jobs = 5;
  EXPECT_TRUE(plan(snapshot).preemptions.empty());
  EXPECT_EQ(plan(snapshot), (Expect{.stopped = {{1, 1, "no_free_resources"}, {2, 1, "preempting"}}}));
  snapshot.pairs[0].dying_jobs = 2;
  EXPECT_EQ(plan(snapshot).preemptions.at(0).jobs, 3);
}

TEST(Preemption, WhatWaitsInTheQueue_IsWantedToo) {
  auto snapshot = full_of_lowest();
  snapshot.campaigns[1].waiting_tasks = 1;
  snapshot.pairs[1].live_jobs = snapshot.pairs[1].waiting_jobs = 4;
  snapshot.clusters[0].waiting_resources = 4;
  snapshot.clusters[0].flood = 0.5;
  EXPECT_EQ(plan(snapshot).preemptions.at(0).jobs, 5);
}

TEST(Preemption, WhatWaitsInTheQueue_IsWanted_WhenNothingIsLeftInTheBag) {
  auto snapshot = full_of_lowest();
  snapshot.campaigns[1].waiting_tasks = 0;
  snapshot.pairs[1].live_jobs = snapshot.pairs[1].waiting_jobs = 3;
  snapshot.clusters[0].waiting_resources = 3;
  EXPECT_THAT(plan(snapshot).preemptions, ElementsAre(Preemption{campaign_id(1), cluster_id(1), 3}));
  snapshot.campaigns[1].state = grid::CampaignState::paused;
  EXPECT_TRUE(plan(snapshot).preemptions.empty());
}

TEST(Preemption, WideJobs_AreCountedInResources_AndOnlyThoseThatCouldStart) {
  auto snapshot = full_of_lowest();
  snapshot.pairs[1].resources_per_job = 4;
  snapshot.pairs[1].job_ratio = 0.25;
  snapshot.pairs[0].live_jobs = 10;  // the other 6 resources are local users'
  EXPECT_THAT(plan(snapshot).preemptions, ElementsAre(Preemption{campaign_id(1), cluster_id(1), 8})) << "two jobs of 4 fit into 10";
  snapshot.pairs[0].live_jobs = 3;
  EXPECT_TRUE(plan(snapshot).preemptions.empty()) << "no kill makes room for a job of 4";
}

TEST(Preemption, WorkBelowNormal_AndJobsAboveLowest_AreLeftAlone) {
  auto snapshot = full_of_lowest();
  snapshot.campaigns[1].priority = 5;
  EXPECT_TRUE(plan(snapshot).preemptions.empty());
  snapshot = full_of_lowest();
  snapshot.campaigns[0].priority = 6;
  EXPECT_TRUE(plan(snapshot).preemptions.empty());
}

TEST(Preemption, FreeResources_AreUsedFirst) {
  auto snapshot = full_of_lowest();
  snapshot.clusters[0].free_resources = 3;
  snapshot.pairs[0].live_jobs = 13;
  EXPECT_EQ(plan(snapshot).preemptions.at(0).jobs, 2);
}

/// A full cluster of 100: 40 resources have the properties of campaign 2, which runs 40 jobs; a lowest campaign has the other 60.
Snapshot full_of_matching() {
  auto snapshot = full_of_lowest();
  snapshot.campaigns[1].waiting_tasks = 1000;
  snapshot.clusters[0].max_resources = 100;
  snapshot.clusters[0].flood = 0.5;
  snapshot.pairs[0].live_jobs = 60;
  snapshot.pairs[1].live_jobs = 40;
  snapshot.pairs[1].has_properties = true;
  snapshot.pairs[1].matching_resources = 40;
  return snapshot;
}

TEST(Preemption, JobsForWhichTooFewResourcesHaveTheProperties_HaveNothingKilledForThem) {
  auto snapshot = full_of_matching();
  EXPECT_EQ(plan(snapshot), (Expect{.launched = {{1, 1, 30}, {2, 1, 20}}})) << "the queue takes them";
  EXPECT_TRUE(plan(snapshot).preemptions.empty());
  snapshot.pairs[1].live_jobs = 60;
  snapshot.pairs[1].waiting_jobs = 20;
  snapshot.clusters[0].waiting_resources = 20;
  EXPECT_TRUE(plan(snapshot).preemptions.empty());
  snapshot.pairs[1].live_jobs = 50;
  EXPECT_THAT(plan(snapshot).preemptions, ElementsAre(Preemption{campaign_id(1), cluster_id(1), 10})) << "30 run, 10 more could";
  snapshot.pairs[1].matching_resources.reset();
  EXPECT_TRUE(plan(snapshot).preemptions.empty()) << "the cluster has not reported how many have them";
}

}  // namespace
}  // namespace gleaner::planner::test
