// Clusters whose users have the same homes: tasks that wait for files in a home go to any of them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/planner_builders.hpp"

namespace gleaner::planner::test {
namespace {

using ::testing::HasSubstr;

const decisions::ClusterNames kClusters{{cluster_id(1), "alpha"}, {cluster_id(2), "beta"}, {cluster_id(3), "gamma"}};

/// Alpha and beta share their homes, gamma does not. All tasks have checkpoints on alpha, which has one free resource.
Snapshot all_kept(std::int64_t tasks) {
  auto snapshot = two_clusters(tasks);
  snapshot.clusters.push_back(a_cluster(3, "gamma"));
  snapshot.pairs.push_back(a_pair(1, 3));
  snapshot.clusters[0].shared_home = snapshot.clusters[1].shared_home = "site";
  snapshot.clusters[0].free_resources = 1;
  snapshot.campaigns[0].checkpoint_cost = 60;
  snapshot.pairs[0].returned_tasks = snapshot.pairs[0].home_tasks = tasks;
  return snapshot;
}

TEST(Document003, ACheckpointedTask_ContinuesOnAClusterThatSharesTheHome) {
  auto snapshot = all_kept(3);
  EXPECT_EQ(plan(snapshot), (Expect{.launched = {{1, 1, 1}, {1, 2, 2}}, .stopped = {{1, 3, "tasks_elsewhere"}}})) << "none twice";
  const Expect only_on_alpha{.launched = {{1, 1, 1}}, .stopped = {{1, 2, "tasks_kept"}, {1, 3, "tasks_kept"}}};
  snapshot.clusters[1].shared_home = "other";
  EXPECT_EQ(plan(snapshot), only_on_alpha) << "beta has a home that it shares with others";
  snapshot.clusters[0].shared_home = snapshot.clusters[1].shared_home = "";
  EXPECT_EQ(plan(snapshot), only_on_alpha) << "no name is no home in common";
}

TEST(Document003, ATaskThatWaitsForItsCheckpoint_NamesAllClustersThatShareTheHome) {
  auto snapshot = all_kept(3);
  snapshot.clusters[0].free_resources = snapshot.clusters[1].free_resources = 0;
  EXPECT_THAT(explain(*decision_on(plan(snapshot), 1, 3), kClusters),
              HasSubstr("the last 3 tasks wait for alpha, beta, which share the home with their checkpoints"));
}

TEST(Document003, ACheckpointedTask_GoesToTheSharer_WhateverStopsItsOwnCluster) {
  const auto snapshot = all_kept(3);
  const auto expect = [](const Snapshot& stopped, const char* reason) {
    EXPECT_EQ(plan(stopped), (Expect{.launched = {{1, 2, 3}}, .stopped = {{1, 1, reason}, {1, 3, "tasks_elsewhere"}}}));
  };
  auto stopped = snapshot;
  stopped.clusters[0].enabled = false;
  expect(stopped, "cluster_disabled");
  stopped = snapshot;
  stopped.clusters[0].reachable = false;
  expect(stopped, "unreachable");
  stopped = snapshot;
  stopped.pairs[0].brake = Brake{"its jobs fail", {}};
  expect(stopped, "pair_braked");
  stopped = snapshot;
  stopped.clusters[0].free_resources = 0;
  expect(stopped, "no_free_resources");
}

TEST(Document003, AClusterThatSharesTheHome_TakesNoTask_ThatAJobOfAVoidLaunchMayRunOnTheOther) {
  auto snapshot = all_kept(5);
  snapshot.pairs[0].fenced_tasks = 3;
  snapshot.pairs[0].home_tasks = 2;
  EXPECT_EQ(jobs_on(plan(snapshot), 1, 2), 2);
  snapshot.clusters[0].enabled = false;
  EXPECT_EQ(plan(snapshot), (Expect{.launched = {{1, 2, 2}}, .stopped = {{1, 1, "cluster_disabled"}, {1, 3, "tasks_reserved"}}}))
      << "the fence holds on alpha alone";
}

TEST(Document003, AClusterThatTheJdlTurnsOff_TakesNoTaskOfTheHomeThatItShares) {
  auto snapshot = all_kept(3);
  snapshot.pairs[1].max_jobs = 0;
  EXPECT_EQ(plan(snapshot), (Expect{.launched = {{1, 1, 1}}, .stopped = {{1, 2, "max_jobs_reached"}, {1, 3, "tasks_kept"}}}));
  snapshot.pairs[1].max_jobs.reset();
  snapshot.pairs[0].max_jobs = 0;
  EXPECT_EQ(plan(snapshot), (Expect{.launched = {{1, 1, 1}, {1, 2, 2}}, .stopped = {{1, 3, "tasks_elsewhere"}}}))
      << "those that wait for itself may end there";
}

TEST(Document003, TasksOfTwoHomes_AreCountedOnce_AndOthersGoAnywhere) {
  auto snapshot = all_kept(20);
  snapshot.clusters.push_back(a_cluster(4, "delta"));
  snapshot.pairs.push_back(a_pair(1, 4));
  snapshot.clusters[2].shared_home = snapshot.clusters[3].shared_home = "campus";
  snapshot.clusters[2].free_resources = snapshot.clusters[3].free_resources = 2;
  snapshot.pairs[0].returned_tasks = snapshot.pairs[0].home_tasks = 4;
  snapshot.pairs[2].returned_tasks = snapshot.pairs[2].home_tasks = 10;
  const auto result = plan(snapshot);
  EXPECT_EQ(jobs_on(result, 1, 3), 2);
  EXPECT_EQ(jobs_on(result, 1, 4), 2);
  EXPECT_EQ(jobs_on(result, 1, 1) + jobs_on(result, 1, 2), 10) << "4 of their home and 6 for anyone; 6 wait for gamma and delta";
}

TEST(Document003, ATaskThatFollowsAnother_NamesAllClustersThatHaveItsFiles) {
  auto snapshot = all_kept(3);
  snapshot.campaigns[0].checkpoint_cost.reset();
  snapshot.pairs[0].following_tasks = 3;
  snapshot.clusters[0].free_resources = snapshot.clusters[1].free_resources = 0;
  const auto result = plan(snapshot);
  EXPECT_EQ(result, (Expect{.stopped = {{1, 1, "no_free_resources"}, {1, 2, "no_free_resources"}, {1, 3, "tasks_follow"}}}));
  EXPECT_THAT(explain(*decision_on(result, 1, 3), kClusters), HasSubstr("3 tasks wait for alpha, beta, where the files"));
}

}  // namespace
}  // namespace gleaner::planner::test
