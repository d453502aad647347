#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/planner_builders.hpp"

/// Campaigns with input files: to which clusters the files go, and who has the resources meanwhile.
namespace gleaner::planner::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

/// Inputs that are wanted for any number of tasks.
MATCHER_P2(wanted, campaign, cluster, "") { return arg.campaign == campaign_id(campaign) && arg.cluster == cluster_id(cluster); }

/// The campaign's files are on no cluster yet.
Snapshot without_inputs(std::int64_t tasks) {
  auto snapshot = two_clusters(tasks);
  for (auto& pair : snapshot.pairs) pair.missing_inputs = grid::MissingInputs{.bytes = 12'000'000, .mb_s = 4};
  return snapshot;
}

TEST(InputFilesInPlans, GoOnlyToClustersThatTasksGoTo) {
  auto result = plan(without_inputs(10));
  EXPECT_THAT(result.launches, IsEmpty());
  EXPECT_THAT(result.inputs, ElementsAre(wanted(1, 1)));
  EXPECT_EQ(result, (Expect{.stopped = {{1, 1, "inputs_first"}, {1, 2, "tasks_elsewhere"}}, .inputs = {{1, 1}}}));
  result = plan(without_inputs(20));
  EXPECT_THAT(result.inputs, ElementsAre(wanted(1, 1), wanted(1, 2)));
}

/// Document 003: "only needed data is transferred".
TEST(InputFilesInPlans, Document003_TasksWhoseFilesAreThere_GoBeforeTheRestIs) {
  auto snapshot = without_inputs(100);
  snapshot.pairs[0].missing_inputs->ready = 5;
  const auto result = plan(snapshot);
  EXPECT_EQ(result, (Expect{.launched = {{1, 1, 5}}, .stopped = {{1, 2, "inputs_first"}}, .inputs = {{1, 1}, {1, 2}}}));
  const auto& launched = std::get<reason::Launched>(result.decisions.at(0).reason);
  EXPECT_TRUE(std::holds_alternative<bound::Inputs>(launched.bound));
}

TEST(InputFilesInPlans, Document003_AreWantedForTheTasksOfTheNextRounds_AndNotForAll) {
  auto snapshot = users({"ada"});
  snapshot.campaigns[0].waiting_tasks = 1'000'000;
  snapshot.pairs[0].missing_inputs = grid::MissingInputs{.bytes = 1};
  const int room = snapshot.clusters[0].free_resources;
  const auto first = plan(snapshot).inputs;
  ASSERT_THAT(first, ElementsAre(wanted(1, 1)));
  EXPECT_GE(first[0].tasks, 2 * room);
  EXPECT_LE(first[0].tasks, 4 * room) << "the queue has some, too";
  snapshot.pairs[0].missing_inputs->ready = first[0].tasks;
  EXPECT_THAT(plan(snapshot).inputs, IsEmpty());
  EXPECT_GE(plan(snapshot).launches.at(0).jobs, room);
}

TEST(InputFilesInPlans, OfTasksThatAnotherClusterTakesFirst_DoNotCount) {
  auto snapshot = without_inputs(100);
  snapshot.pairs[0].missing_inputs.reset();
  snapshot.pairs[1].missing_inputs->ready = 10;
  snapshot.clusters[0].free_resources = 4;
  const auto result = plan(snapshot);
  int first = 0, second = 0;
  for (const auto& launch : result.launches) (launch.cluster == cluster_id(1) ? first : second) += launch.jobs;
  EXPECT_GE(first, 4);
  EXPECT_EQ(second, std::max(0, 10 - first));
  ASSERT_THAT(result.inputs, ElementsAre(wanted(1, 2)));
  EXPECT_GE(result.inputs[0].tasks, first);
}

TEST(InputFilesInPlans, PoolsTakeTasksWhoseFilesAreThere_AndNoOthers) {
  auto snapshot = users({"ada"});
  snapshot.campaigns[0].waiting_tasks = 1000;
  snapshot.campaigns[0].grouping = grid::Grouping::on;
  snapshot.pairs[0].mean_duration = 1;
  snapshot.pairs[0].missing_inputs = grid::MissingInputs{.bytes = 1, .ready = 50};
  const auto result = plan(snapshot);
  int tasks = 0;
  for (const auto& launch : result.launches) tasks += launch.jobs + launch.pooled;
  EXPECT_GT(tasks, 0);
  EXPECT_LE(tasks, 50);
}

TEST(InputFilesInPlans, TasksGoFirstWhereTheFilesAre_WhateverThePriorityOfTheClusters) {
  auto snapshot = without_inputs(10);
  snapshot.pairs[0].priority = 5;
  snapshot.pairs[1].missing_inputs.reset();
  auto result = plan(snapshot);
  EXPECT_EQ(result, (Expect{.launched = {{1, 2, 10}}, .stopped = {{1, 1, "tasks_elsewhere"}}}));
  EXPECT_THAT(result.inputs, IsEmpty());
  snapshot.campaigns[0].waiting_tasks = 20;
  result = plan(snapshot);
  EXPECT_EQ(result, (Expect{.launched = {{1, 2, 16}}, .stopped = {{1, 1, "inputs_first"}}, .inputs = {{1, 1}}}));
  EXPECT_THAT(result.inputs, ElementsAre(wanted(1, 1)));
}

TEST(InputFilesInPlans, DoNotGoWhereNoTaskCouldStart) {
  auto snapshot = without_inputs(10);
  snapshot.clusters[0].free_resources = 0;
  EXPECT_THAT(plan(snapshot).inputs, ElementsAre(wanted(1, 2)));
  snapshot.pairs[1].brake = Brake{"brake", {}};
  EXPECT_THAT(plan(snapshot).inputs, IsEmpty());
  snapshot = without_inputs(10);
  snapshot.pairs[0].max_jobs = 0;
  EXPECT_THAT(plan(snapshot).inputs, ElementsAre(wanted(1, 2)));
  snapshot = without_inputs(10);
  snapshot.campaigns[0].state = grid::CampaignState::paused;
  EXPECT_THAT(plan(snapshot).inputs, IsEmpty());
}

TEST(InputFilesInPlans, HoldNoResources_WhileTheyAreMissing) {
  auto snapshot = users({"ada", "bob"});
  snapshot.pairs[0].missing_inputs = grid::MissingInputs{.bytes = 1'000'000, .mb_s = 1};
  const auto result = plan(snapshot);
  EXPECT_THAT(result.inputs, ElementsAre(wanted(1, 1)));
  EXPECT_EQ(result, (Expect{.launched = {{2, 1, 16}}, .stopped = {{1, 1, "inputs_first"}}, .inputs = {{1, 1}}}));
}

TEST(InputFilesInPlans, AreNotStarved_ByACampaignThatComesLaterInTheOrder) {
  auto snapshot = users({"ada", "bob"});
  snapshot.pairs[0].missing_inputs = grid::MissingInputs{.bytes = 1'000'000, .mb_s = 1};
  snapshot.clusters[0].free_resources = 1;
  EXPECT_THAT(plan(snapshot).inputs, ElementsAre(wanted(1, 1)));
}

TEST(InputFilesInPlans, AreWantedOnce_WhereTheOrderGivesManyTurns) {
  auto snapshot = users({"ada", "bob", "eve"});
  for (auto& pair : snapshot.pairs) pair.missing_inputs = grid::MissingInputs{.bytes = 1'000'000, .mb_s = 1};
  const auto result = plan(snapshot, {.campaign_order = "tickets"});
  EXPECT_THAT(result.inputs, testing::UnorderedElementsAre(wanted(1, 1), wanted(2, 1), wanted(3, 1)));
}

TEST(InputFilesInPlans, AreWantedForTheTasksOfATest_OnEachCluster) {
  auto snapshot = without_inputs(2);
  snapshot.campaigns[0] = a_test_campaign(1, 2);
  EXPECT_THAT(plan(snapshot).inputs, ElementsAre(wanted(1, 1), wanted(1, 2)));
}

TEST(InputFilesInPlans, ComeWhileResourcesAreHeldBackForAWideJob) {
  auto snapshot = one_of_each(16);
  snapshot.clusters[0].free_resources = 8;
  snapshot.clusters[0].endings = {{600, 8}};
  snapshot.pairs[0].missing_inputs = grid::MissingInputs{.bytes = 1'000'000, .mb_s = 1};
  const auto result = plan(snapshot);
  ASSERT_EQ(reason_on(result, 1, 1), "reserved");
  EXPECT_THAT(result.inputs, ElementsAre(wanted(1, 1)));
}

TEST(InputFilesInPlans, WhileTheyAreMissing_NoReplicaGoesThere) {
  auto snapshot = two_clusters(0);
  snapshot.campaigns[0].replicas_allowed = true;
  snapshot.pairs[0].live_jobs = snapshot.pairs[0].replicable_tasks = 3;
  EXPECT_THAT(plan(snapshot).replicas, testing::SizeIs(1));
  snapshot.pairs[1].missing_inputs = grid::MissingInputs{.bytes = 1'000'000, .mb_s = 1, .ready = 2};
  const auto result = plan(snapshot);
  for (const auto& replicas : result.replicas) EXPECT_EQ(replicas.cluster, cluster_id(1));
  EXPECT_THAT(result.inputs, IsEmpty());
}

/// Document 003 counts the input of a job; the files are brought once, before its first jobs there.
TEST(InputFilesInPlans, Transfer_WeighsWhatIsStillToBeBrought) {
  auto snapshot = without_inputs(10);
  for (auto& cluster : snapshot.clusters) cluster.transfer_mb_s = 10;
  for (auto& pair : snapshot.pairs) pair.mean_duration = 60;
  snapshot.pairs[0].mean_duration = 50;
  snapshot.pairs[0].missing_inputs->bytes = 1'000'000'000;  // 100 + 50 s, and 1.2 + 60 s
  EXPECT_THAT(plan(snapshot, {.placement = "transfer"}).inputs, ElementsAre(wanted(1, 2)));
  snapshot.pairs[0].missing_inputs->bytes = 100'000'000;  // 10 + 50 s
  EXPECT_THAT(plan(snapshot, {.placement = "transfer"}).inputs, ElementsAre(wanted(1, 1)));
}

TEST(InputFilesInPlans, TheSentence_StatesHowMuchIsMissing_AndWhenItComes) {
  const Decision decision{.campaign = campaign_id(1), .cluster = cluster_id(1), .reason = reason::InputsFirst{12'000'000, 4}};
  EXPECT_EQ(
      explain(decision, {{cluster_id(1), "alpha"}}),
      "no jobs on alpha for now: 12 MB of the campaign's input files are still to be brought to alpha; tasks start there when they are, in "
      "about 3 s at the 4 MB/s of before");
}

}  // namespace
}  // namespace gleaner::planner::test
