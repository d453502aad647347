#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <numeric>

#include "tests/unit/planner_builders.hpp"

namespace gleaner::planner::test {
namespace {

std::string text_on(const Plan& plan, std::int64_t campaign, std::int64_t cluster) {
  return explain(*decision_on(plan, campaign, cluster), {{cluster_id(1), "alpha"}, {cluster_id(2), "beta"}});
}

struct Given {
  int jobs = 0;
  int pooled = 0;
  int tasks() const { return jobs + pooled; }
};

Given given(const Plan& plan) {
  Given all;
  for (const auto& launch : plan.launches) {
    all.jobs += launch.jobs;
    all.pooled += launch.pooled;
  }
  return all;
}

Snapshot grouped(Snapshot snapshot, std::optional<double> duration, grid::Grouping grouping = grid::Grouping::on) {
  for (auto& campaign : snapshot.campaigns) campaign.grouping = grouping;
  for (auto& pair : snapshot.pairs) pair.mean_duration = duration;
  return snapshot;
}

Snapshot one_cluster(std::int64_t tasks, std::optional<double> duration) {
  auto snapshot = one_of_each();
  snapshot.campaigns[0].waiting_tasks = tasks;
  return grouped(std::move(snapshot), duration);
}

TEST(PlannedPools, ACampaignThatDoesNotGroup_HasOneJobForEachTask) {
  const auto all = given(plan(grouped(one_of_each(), 1.0, grid::Grouping::off)));
  EXPECT_EQ(all.jobs, 16);
  EXPECT_EQ(all.pooled, 0);
}

TEST(PlannedPools, ShortTasksFillTheDurationOfAPool) {
  const auto all = given(plan(one_cluster(1'000'000, 10.0)));
  EXPECT_EQ(all.jobs, 16);
  EXPECT_EQ(all.tasks(), 16 * 12) << "120 s of 10 s each";
}

TEST(PlannedPools, AClusterThatIsTurnedOff_GetsTheTasksThatAreBoundToItAlone) {
  auto snapshot = one_cluster(1'000'000, 10.0);
  snapshot.pairs[0].max_jobs = 0;
  snapshot.pairs[0].returned_tasks = 3;
  const auto all = given(plan(snapshot));
  EXPECT_EQ(all.jobs, 3);
  EXPECT_EQ(all.pooled, 0);
}

TEST(PlannedPools, LongTasksHaveJobsOfTheirOwn) {
  EXPECT_EQ(given(plan(one_cluster(1'000'000, 100.0))).pooled, 0);
  EXPECT_EQ(given(plan(one_cluster(1'000'000, 4000.0))).pooled, 0);
}

TEST(PlannedPools, AtTheTail_NoJobGetsMoreThanItsPart) {
  EXPECT_EQ(given(plan(one_cluster(32, 1.0))).tasks(), 32);
  const auto all = given(plan(one_cluster(16, 1.0)));
  EXPECT_EQ(all.jobs, 16);
  EXPECT_EQ(all.pooled, 0);
}

TEST(PlannedPools, OfTwoClusters_EachLeavesSomeOfItsPart_ForTheOneThatTurnsOutFaster) {
  const auto all = given(plan(grouped(two_clusters(320), 10.0)));
  EXPECT_EQ(all.jobs, 32);
  EXPECT_EQ(all.tasks(), 32 * 8);
}

TEST(PlannedPools, OfTwoClusters_TheFasterOneGetsTheGreaterPart) {
  auto snapshot = grouped(two_clusters(640), 1.0);
  snapshot.pairs[1].mean_duration = 4.0;
  for (const auto& launch : plan(snapshot).launches) {
    EXPECT_EQ(launch.jobs, 16);
    EXPECT_EQ(launch.jobs + launch.pooled, launch.cluster == cluster_id(1) ? 16 * 24 : 16 * 6) << "three quarters of 32 s on each";
  }
}

TEST(PlannedPools, OfTwoClusters_EachGetsItsPart_IfTheRestIsNotWorthAnotherStart) {
  auto snapshot = grouped(two_clusters(800), 1.0);
  EXPECT_EQ(given(plan(snapshot)).tasks(), 800) << "25 s of work for each core, and a round costs 7 s";
  for (auto& cluster : snapshot.clusters) cluster.start_cost = 0.5;
  EXPECT_EQ(given(plan(snapshot)).tasks(), 32 * 19);
}

TEST(PlannedPools, OfUnknownDuration_AJobLeavesSomeOfItsPart_UnlessItIsAFewTasks) {
  EXPECT_EQ(given(plan(grouped(two_clusters(320), std::nullopt))).tasks(), 320);
  EXPECT_EQ(given(plan(grouped(two_clusters(3200), std::nullopt))).tasks(), 32 * 75);
  const auto all = given(plan(grouped(two_clusters(1'000'000), std::nullopt)));
  EXPECT_EQ(all.jobs, 32);
  EXPECT_EQ(all.tasks(), 2 * 4000) << "what the list of a launch may hold";
}

TEST(PlannedPools, NoJobWaitsInAQueueForAPoolThatWillBeEmpty) {
  auto snapshot = grouped(two_clusters(500), 1.0);
  for (auto& cluster : snapshot.clusters) cluster.flood = 0.5;
  const auto made = plan(snapshot);
  EXPECT_EQ(given(made).tasks(), 500);
  for (const auto& launch : made.launches) {
    EXPECT_EQ(launch.jobs, 16);
    EXPECT_NEAR(launch.pooled, 234, 8) << "of two equal clusters, each has half of the tasks";
  }
  EXPECT_NE(text_on(made, 1, 2).find("no other task waits"), std::string::npos) << text_on(made, 1, 2);
  snapshot.campaigns[0].waiting_tasks = 1000;
  for (auto& pair : snapshot.pairs) pair.mean_duration = 2.0;
  const auto half = plan(snapshot);
  EXPECT_NE(text_on(half, 1, 1).find("more start when these have taken their tasks"), std::string::npos) << text_on(half, 1, 1);
  snapshot.campaigns[0].waiting_tasks = 1'000'000;
  for (auto& pair : snapshot.pairs) pair.mean_duration = 60.0;
  EXPECT_GT(given(plan(snapshot)).jobs, 32) << "pools that last until their time is over leave tasks to the next";
}

TEST(PlannedPools, AFewTasksWaitForTheCampaignsOwnPools_AndDoNotHoldAQueue) {
  auto snapshot = grouped(two_clusters(200), 1.0);
  for (auto& cluster : snapshot.clusters) {
    cluster.free_resources = 0;
    cluster.our_resources = cluster.our_jobs = 16;
    cluster.flood = 0.5;
  }
  for (auto& pair : snapshot.pairs) pair.active = true, pair.running = pair.live_jobs = 16;
  const auto waits = plan(snapshot);
  EXPECT_EQ(given(waits).jobs, 0);
  EXPECT_EQ(waits, (Expect{.stopped = {{1, 1, "pools_under_way"}, {1, 2, "pools_under_way"}}}));
  EXPECT_NE(text_on(waits, 1, 1).find("this campaign has 16 jobs on "), std::string::npos) << text_on(waits, 1, 1);
  for (auto& pair : snapshot.pairs) pair.running = pair.live_jobs = 2;
  EXPECT_GT(given(plan(snapshot)).jobs, 0) << "others use the cluster: the queue is the only way to it";
  for (auto& pair : snapshot.pairs) pair.running = pair.live_jobs = 16, pair.mean_duration = 60.0;
  EXPECT_GT(given(plan(snapshot)).jobs, 0) << "there is work for many rounds";
}

/// 1000 tasks of 0.2 s are 28 starts of 7 s: nothing is kept for the four other cores.
TEST(PlannedPools, KeepNothingForCoresWhoseStartWouldTakeLonger) {
  auto snapshot = grouped(two_clusters(1000), 0.2);
  for (auto& pair : snapshot.pairs) pair.active = true, pair.running = pair.live_jobs = 8;
  for (auto& cluster : snapshot.clusters) cluster.free_resources = cluster.our_jobs = 8;
  const auto all = given(plan(snapshot));
  EXPECT_EQ(all.jobs, 16);
  EXPECT_EQ(all.tasks(), 16 * 35);
}

TEST(PlannedPools, SideBySide_AJobTakesAsManyTimesTheTasksAsItHasCores) {
  auto snapshot = one_cluster(1'000'000, 10.0);
  snapshot.campaigns[0].side_by_side = true;
  EXPECT_EQ(given(plan(snapshot)).tasks(), 16 * 12) << "jobs of one core";
  for (auto& pair : snapshot.pairs) pair.resources_per_job = 4, pair.job_ratio = 0.25;
  const auto wide = given(plan(snapshot));
  EXPECT_EQ(wide.jobs, 4);
  EXPECT_EQ(wide.tasks(), 16 * 12);
  for (auto& pair : snapshot.pairs) pair.mean_duration = 4000.0;
  EXPECT_EQ(given(plan(snapshot)).tasks(), 16) << "long tasks fill the cores once";
  snapshot.campaigns[0].side_by_side = false;
  EXPECT_EQ(given(plan(snapshot)).tasks(), 4);
}

TEST(PlannedPools, OnWideClusters_ALaunchHasNoMoreTasksThanItsFolderCanList) {
  auto snapshot = grouped(two_clusters(1'000'000), 1.0);
  snapshot.campaigns[0].side_by_side = true;
  for (auto& cluster : snapshot.clusters) cluster.max_resources = cluster.free_resources = 6400;
  for (auto& pair : snapshot.pairs) pair.resources_per_job = 64, pair.job_ratio = 1.0 / 64;
  for (const auto& launch : plan(snapshot).launches) EXPECT_LE(launch.jobs + launch.pooled, 4000);
}

TEST(PlannedPools, WhereOarRefusedOne_EachTaskHasAJob) {
  auto snapshot = grouped(two_clusters(320), 1.0);
  snapshot.pairs[0].pools_refused = true;
  for (const auto& launch : plan(snapshot).launches) EXPECT_EQ(launch.pooled > 0, launch.cluster == cluster_id(2));
}

/// A cluster that lists files more slowly than it carries out tasks would have ever more of them to list.
TEST(PlannedPools, WhereTheEndsOfManyTasksAreUnread_ThereIsNoMoreToDo_UntilTheyAreRead) {
  auto snapshot = grouped(two_clusters(100'000), 0.1);
  snapshot.pairs[0].unread_tasks = 20'001;
  const auto one = plan(snapshot);
  EXPECT_EQ(one, (Expect{.launched = {{1, 2, 16}}, .stopped = {{1, 1, "ends_unread"}}}));
  EXPECT_NE(text_on(one, 1, 1).find("the jobs of 20001 tasks on "), std::string::npos) << text_on(one, 1, 1);
  for (const auto& launch : one.launches) EXPECT_EQ(launch.cluster, cluster_id(2));
  snapshot.pairs[0].unread_tasks = 8'000;
  EXPECT_NE(reason_on(plan(snapshot), 1, 1), "ends_unread");
}

TEST(PlannedPools, OfAClusterWithoutStartCost_ARoundStillTakesACycle) {
  auto snapshot = grouped(two_clusters(64), 0.1);
  for (auto& cluster : snapshot.clusters) cluster.start_cost = 0.0;
  EXPECT_EQ(given(plan(snapshot)).tasks(), 64) << "half of it would leave the rest for another round, and half of that for a third";
}

TEST(PlannedPools, AutoWaitsUntilTheDurationIsKnown) {
  auto snapshot = grouped(one_cluster(1000, std::nullopt), std::nullopt, grid::Grouping::auto_);
  EXPECT_EQ(given(plan(snapshot)).pooled, 0);
  snapshot.pairs[0].mean_duration = 1.0;
  EXPECT_GT(given(plan(snapshot)).pooled, 0);
}

TEST(PlannedPools, TestCampaigns_AndTasksOfDifferentRequests_HaveNone) {
  auto snapshot = one_cluster(1000, 1.0);
  snapshot.campaigns[0].differing = true;
  snapshot.pairs[0].fitting_tasks = 1000;
  EXPECT_EQ(given(plan(snapshot)).pooled, 0);
  snapshot = one_cluster(1000, 1.0);
  snapshot.campaigns[0].type = grid::CampaignType::test;
  EXPECT_EQ(given(plan(snapshot)).pooled, 0);
}

TEST(PlannedPools, ALongerPoolTakesMore) {
  PlannerConfig config;
  config.pool_duration = std::chrono::minutes{10};
  EXPECT_EQ(given(plan(one_cluster(1'000'000, 10.0), config)).tasks(), 16 * 60);
}

TEST(PlannedPools, AreSharedByTheArraysOfACluster) {
  auto snapshot = one_cluster(1'000'000, 10.0);
  snapshot.clusters[0].array_size = 5;
  const auto made = plan(snapshot);
  EXPECT_EQ(made.launches.size(), 4u);
  for (const auto& launch : made.launches) EXPECT_EQ(launch.pooled, launch.jobs * 11);
}

TEST(PlannedPools, BoundTasksAreAmongThoseOfTheirCluster) {
  auto snapshot = one_cluster(100, 1.0);
  snapshot.pairs[0].returned_tasks = 50;
  const auto all = given(plan(snapshot));
  EXPECT_EQ(all.jobs, 16);
  EXPECT_EQ(all.tasks(), 100);
}

RC_GTEST_PROP(PlannedPools, TakeNoMoreThanTheBag_AndNoMoreJobsThanWithoutThem, ()) {
  const auto tasks = *rc::gen::inRange<std::int64_t>(0, 3000);
  auto snapshot = two_clusters(tasks);
  snapshot.pairs[0].returned_tasks = *rc::gen::inRange<std::int64_t>(0, tasks + 1);
  for (auto& cluster : snapshot.clusters) cluster.free_resources = *rc::gen::inRange(0, 17);
  for (auto& cluster : snapshot.clusters) cluster.flood = *rc::gen::inRange(0, 3) * 0.5;
  const auto plain = given(plan(snapshot));
  std::optional<double> duration;
  if (*rc::gen::arbitrary<bool>()) duration = *rc::gen::inRange(1, 2000) / 10.0;
  const auto pooled = given(plan(grouped(snapshot, duration)));
  RC_ASSERT(pooled.tasks() <= tasks);
  RC_ASSERT(pooled.jobs <= plain.jobs);
  RC_ASSERT(pooled.pooled >= 0);
  RC_ASSERT((pooled.jobs > 0) == (plain.jobs > 0));
}

}  // namespace
}  // namespace gleaner::planner::test
