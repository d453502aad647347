#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>

#include "tests/unit/planner_builders.hpp"

namespace gleaner::planner::test {
namespace {

TEST(Planner, FreeResources_AreFilledWithJobs) {
  const auto result = plan(one_of_each());
  EXPECT_EQ(result, (Expect{.launched = {{1, 1, 16}}}));
  EXPECT_DOUBLE_EQ(result.launches.at(0).resources, 16.0);
}

TEST(Planner, ParallelJobs_AreCountedInResources) {
  EXPECT_EQ(plan(one_of_each(8)), (Expect{.launched = {{1, 1, 2}}}));
  EXPECT_EQ(plan(one_of_each(5)), (Expect{.launched = {{1, 1, 3}}}));
  EXPECT_EQ(plan(one_of_each(16)), (Expect{.launched = {{1, 1, 1}}}));
}

TEST(Planner, RatioOfOneThird_LosesNoJobToRounding) {
  auto snapshot = one_of_each(3);
  snapshot.clusters[0].free_resources = 3;
  EXPECT_EQ(plan(snapshot), (Expect{.launched = {{1, 1, 1}}}));
  snapshot.clusters[0].free_resources = 15;
  EXPECT_EQ(plan(snapshot), (Expect{.launched = {{1, 1, 5}}}));
}

TEST(Planner, Flood_AddsWhatMayWait_AndWhatWaitsIsTakenOff) {
  auto snapshot = one_of_each();
  snapshot.clusters[0].flood = 0.5;
  EXPECT_EQ(plan(snapshot), (Expect{.launched = {{1, 1, 24}}}));
  snapshot.clusters[0].waiting_resources = 10;
  EXPECT_EQ(plan(snapshot), (Expect{.launched = {{1, 1, 14}}}));
  snapshot.clusters[0].free_resources = 0;
  EXPECT_EQ(plan(snapshot), (Expect{.stopped = {{1, 1, "no_free_resources"}}}));
}

TEST(Planner, ATaskThatCouldRunAtOnce_DoesNotWaitInTheQueueOfAClusterThatComesFirst) {
  auto snapshot = one_of_each();
  snapshot.campaigns = {a_campaign(1, 32)};
  snapshot.clusters.push_back(a_cluster(2));
  snapshot.pairs.push_back(a_pair(1, 2));
  for (auto& cluster : snapshot.clusters) cluster.flood = 0.5;
  EXPECT_EQ(plan(snapshot), (Expect{.launched = {{1, 1, 16}, {1, 2, 16}}}));
  snapshot.campaigns = {a_campaign(1, 34)};
  EXPECT_EQ(plan(snapshot), (Expect{.launched = {{1, 1, 18}, {1, 2, 16}}}));
}

TEST(Planner, FloodOfZero_LetsNothingWait) {
  auto snapshot = one_of_each();
  snapshot.clusters[0].free_resources = 0;
  EXPECT_TRUE(plan(snapshot).launches.empty());
}

TEST(Planner, LaunchesThatTheStatusCannotShowYet_AreTakenOff) {
  auto snapshot = one_of_each();
  snapshot.clusters[0].unaccounted_resources = 12;
  EXPECT_EQ(plan(snapshot), (Expect{.launched = {{1, 1, 4}}}));
}

TEST(Planner, SmallBag_LeavesTheRestToTheNextCampaign) {
  auto snapshot = one_of_each();
  snapshot.campaigns = {a_campaign(1, 5), a_campaign(2)};
  snapshot.pairs.push_back(a_pair(2, 1));
  const auto result = plan(snapshot);
  EXPECT_EQ(result, (Expect{.launched = {{1, 1, 5}, {2, 1, 11}}}));
}

TEST(Planner, WideJobsThatLeaveAGap_LeaveItToTheNextCampaign) {
  auto snapshot = one_of_each(6);
  snapshot.campaigns.push_back(a_campaign(2));
  snapshot.pairs.push_back(a_pair(2, 1, 3));
  const auto result = plan(snapshot);
  EXPECT_EQ(result, (Expect{.launched = {{1, 1, 2}, {2, 1, 1}}}));
}

TEST(Planner, Fifo_ServesTheFirstCampaignFirst_AndReportsToTheOthersWhoTookIt) {
  auto snapshot = one_of_each();
  snapshot.campaigns = {a_campaign(2), a_campaign(1)};
  snapshot.pairs.push_back(a_pair(2, 1));
  const auto result = plan(snapshot);
  EXPECT_EQ(result, (Expect{.launched = {{1, 1, 16}}, .stopped = {{2, 1, "earlier_campaigns"}}}));
  const auto& takers = std::get<reason::EarlierCampaigns>(decision_on(result, 2, 1)->reason).takers;
  EXPECT_EQ(takers.count, 1);
  EXPECT_EQ(takers.ids[0], 1);
}

// Document 003: a cluster is offered to a campaign just after the previous ones have been served.
TEST(Planner, Document003_TwoCampaigns_FirstOnC1C2C3_SecondOnC2C4) {
  Snapshot snapshot{.clusters = {a_cluster(1, "c1"), a_cluster(2, "c2"), a_cluster(3, "c3"), a_cluster(4, "c4")},
                    .campaigns = {a_campaign(1), a_campaign(2)},
                    .pairs = {a_pair(1, 1), a_pair(1, 2), a_pair(1, 3), a_pair(2, 2), a_pair(2, 4)}};
  const auto result = plan(snapshot);
  for (const auto cluster : {1, 2, 3}) EXPECT_EQ(jobs_on(result, 1, cluster), 16) << cluster;
  EXPECT_EQ(result, (Expect{.launched = {{1, 1, 16}, {1, 2, 16}, {1, 3, 16}, {2, 4, 16}}, .stopped = {{2, 2, "earlier_campaigns"}}}));
}

TEST(Planner, HigherPriorityOfTheJdl_ThenPower_DecidesWhichClusterIsFilledFirst) {
  Snapshot snapshot{.clusters = {a_cluster(1), a_cluster(2, "beta"), a_cluster(3, "gamma")},
                    .campaigns = {a_campaign(1, 20)},
                    .pairs = {a_pair(1, 1), a_pair(1, 2), a_pair(1, 3)}};
  snapshot.clusters[1].power = 3.0;
  snapshot.pairs[2].priority = 5;
  const auto result = plan(snapshot);
  EXPECT_EQ(result, (Expect{.launched = {{1, 2, 4}, {1, 3, 16}}, .stopped = {{1, 1, "tasks_elsewhere"}}}));
}

TEST(Planner, ManyJobs_AreSplitInArraysThatTheClusterTakes) {
  auto snapshot = one_of_each();
  snapshot.clusters[0].array_size = 7;
  std::vector<int> sizes;
  for (const auto& launch : plan(snapshot).launches) sizes.push_back(launch.jobs);
  EXPECT_THAT(sizes, testing::ElementsAre(7, 7, 2));
}

TEST(Planner, MaxJobsOfTheJdl_CountsLiveAndUnknownJobs) {
  auto snapshot = one_of_each();
  snapshot.pairs[0].max_jobs = 10;
  snapshot.pairs[0].live_jobs = 5;
  snapshot.pairs[0].frozen_jobs = 2;
  EXPECT_EQ(plan(snapshot), (Expect{.launched = {{1, 1, 3}}}));
  snapshot.pairs[0].live_jobs = 8;
  EXPECT_EQ(plan(snapshot), (Expect{.stopped = {{1, 1, "max_jobs_reached"}}}));
}

TEST(Planner, MaxJobsOfZero_SendsNothingThere_ButTheTasksThatAreBoundToTheCluster) {
  auto snapshot = two_clusters(20);
  snapshot.pairs[1].max_jobs = 0;
  EXPECT_EQ(plan(snapshot), (Expect{.launched = {{1, 1, 16}}, .stopped = {{1, 2, "max_jobs_reached"}}}));
  snapshot.pairs[1].returned_tasks = 3;
  snapshot.pairs[1].live_jobs = 5;
  const auto result = plan(snapshot);
  EXPECT_EQ(result, (Expect{.launched = {{1, 1, 16}, {1, 2, 3}}}));
}

// Issue: a test campaign behind a 10 000-task default one runs one job on each of its clusters.
TEST(Planner, TestCampaign_GoesFirst_WithOneJobOnEachCluster) {
  Snapshot snapshot{.clusters = {a_cluster(1), a_cluster(2, "beta")},
                    .campaigns = {a_campaign(1, 10'000), a_test_campaign(2)},
                    .pairs = {a_pair(1, 1), a_pair(1, 2), a_pair(2, 1), a_pair(2, 2)}};
  const auto result = plan(snapshot);
  EXPECT_EQ(result, (Expect{.launched = {{1, 1, 15}, {1, 2, 15}, {2, 1, 1}, {2, 2, 1}}}));
  EXPECT_EQ(result.launches.at(0).campaign, campaign_id(2));
}

/// Campaigns take turns of some resources each.
TEST(Planner, TestCampaign_GetsOneJobOnEachCluster_HoweverManyTurnsItGets) {
  Snapshot snapshot{.clusters = {a_cluster(1), a_cluster(2, "beta")},
                    .campaigns = {a_test_campaign(1), a_test_campaign(2)},
                    .pairs = {a_pair(1, 1, 4), a_pair(1, 2, 4), a_pair(2, 1, 4), a_pair(2, 2, 4)}};
  snapshot.campaigns[0].user = "ada";
  snapshot.campaigns[1].user = "bob";
  for (const auto* order : {"fifo", "fairshare", "fairtree", "tickets"})
    EXPECT_EQ(plan(snapshot, {.campaign_order = order}), (Expect{.launched = {{1, 1, 1}, {1, 2, 1}, {2, 1, 1}, {2, 2, 1}}})) << order;
}

TEST(Planner, TestCampaign_GetsItsJobOnAFullClusterToo) {
  auto snapshot = one_of_each();
  snapshot.campaigns = {a_test_campaign(1)};
  snapshot.clusters[0].free_resources = 0;
  EXPECT_EQ(plan(snapshot), (Expect{.launched = {{1, 1, 1}}}));
}

TEST(Planner, TestCampaign_NeverGetsASecondJobOnACluster) {
  auto snapshot = one_of_each();
  snapshot.campaigns = {a_test_campaign(1)};
  snapshot.pairs[0].live_jobs = 1;
  EXPECT_EQ(plan(snapshot), (Expect{.stopped = {{1, 1, "test_already_given"}}}));
  snapshot.pairs[0].live_jobs = 0;
  snapshot.pairs[0].concluded_jobs = 1;
  EXPECT_EQ(plan(snapshot), (Expect{.stopped = {{1, 1, "test_already_given"}}}));
  snapshot.pairs[0].concluded_jobs = 0;
  snapshot.pairs[0].frozen_jobs = 1;
  EXPECT_EQ(plan(snapshot), (Expect{.stopped = {{1, 1, "frozen"}}}));
}

TEST(Planner, RatioTooSmallForTheOffer_StillTriesOneJob) {
  auto snapshot = one_of_each();
  snapshot.pairs[0].job_ratio = 1.0 / 16;
  snapshot.clusters[0].free_resources = 5;
  EXPECT_EQ(plan(snapshot), (Expect{.launched = {{1, 1, 1}}}));
  snapshot.pairs[0].waiting_jobs = 1;
  EXPECT_EQ(plan(snapshot), (Expect{.stopped = {{1, 1, "not_enough_resources"}}}));
}

TEST(Planner, OfferSmallerThanTheRequest_GetsNoJob) {
  auto snapshot = one_of_each(8);
  snapshot.clusters[0].free_resources = 7;
  EXPECT_EQ(plan(snapshot), (Expect{.stopped = {{1, 1, "not_enough_resources"}}}));
}

TEST(Planner, NonsenseFigures_GiveNoJobsAndNoHarm) {
  auto snapshot = one_of_each();
  snapshot.clusters[0].free_resources = -3;
  snapshot.clusters[0].flood = std::numeric_limits<double>::quiet_NaN();
  snapshot.pairs[0].job_ratio = 0.0;
  EXPECT_TRUE(plan(snapshot).launches.empty());
  snapshot.pairs[0].job_ratio = std::numeric_limits<double>::infinity();
  snapshot.clusters[0].free_resources = 16;
  EXPECT_EQ(plan(snapshot), (Expect{.launched = {{1, 1, 1}}}));
}

struct Stopped {
  const char* reason;
  void (*change)(Snapshot&);
};
class PlannerStops : public testing::TestWithParam<Stopped> {};

TEST_P(PlannerStops, NothingIsLaunched_AndTheReasonIsGiven) {
  auto snapshot = one_of_each();
  GetParam().change(snapshot);
  const auto result = plan(snapshot);
  EXPECT_TRUE(result.launches.empty());
  EXPECT_EQ(reason_on(result, 1, 1), GetParam().reason);
}

INSTANTIATE_TEST_SUITE_P(Reasons, PlannerStops,
                         testing::Values(Stopped{"paused", [](Snapshot& s) { s.campaigns[0].state = grid::CampaignState::paused; }},
                                         Stopped{"campaign_braked",
                                                 [](Snapshot& s) {
                                                   s.campaigns[0].brake = Brake{"too many failures", {}};
                                                 }},
                                         Stopped{"awaits_campaign", [](Snapshot& s) { s.campaigns[0].awaits = grid::Awaited{}; }},
                                         Stopped{"awaits_tasks",
                                                 [](Snapshot& s) {
                                                   s.campaigns[0].waiting_tasks = 0;
                                                   s.campaigns[0].holds_tasks = grid::Awaited{};
                                                   s.campaigns[0].held_tasks = 7;
                                                 }},
                                         Stopped{"bag_empty", [](Snapshot& s) { s.campaigns[0].waiting_tasks = 0; }},
                                         Stopped{"frozen",
                                                 [](Snapshot& s) {
                                                   s.campaigns[0].waiting_tasks = 0;
                                                   s.pairs[0].frozen_jobs = 3;
                                                 }},
                                         Stopped{"no_cluster", [](Snapshot& s) { s.pairs.clear(); }},
                                         Stopped{"cluster_disabled", [](Snapshot& s) { s.clusters[0].enabled = false; }},
                                         Stopped{"cluster_retired",
                                                 [](Snapshot& s) {
                                                   s.clusters[0].enabled = false;
                                                   s.clusters[0].retired = true;
                                                 }},
                                         Stopped{"unreachable", [](Snapshot& s) { s.clusters[0].reachable = false; }},
                                         Stopped{"stale_status", [](Snapshot& s) { s.clusters[0].status_fresh = false; }},
                                         Stopped{"cluster_braked",
                                                 [](Snapshot& s) {
                                                   s.clusters[0].brake = Brake{"3 refusals", {}};
                                                 }},
                                         Stopped{"pair_braked",
                                                 [](Snapshot& s) {
                                                   s.pairs[0].brake = Brake{"exec_file not found", {}};
                                                 }},
                                         Stopped{"not_mapped", [](Snapshot& s) { s.pairs[0].mapped = false; }},
                                         Stopped{"no_token", [](Snapshot& s) { s.pairs[0].token_lack = grid::TokenLack{}; }},
                                         Stopped{"no_resources",
                                                 [](Snapshot& s) { s.clusters[0].max_resources = s.clusters[0].free_resources = 0; }},
                                         Stopped{"on_trial",
                                                 [](Snapshot& s) {
                                                   s.pairs[0].on_trial = true;
                                                   s.pairs[0].live_jobs = 1;
                                                 }},
                                         Stopped{"too_big", [](Snapshot& s) { s.pairs[0].resources_per_job = 17; }},
                                         Stopped{"no_task_fits", [](Snapshot& s) { s.pairs[0].fitting_tasks = 0; }}),
                         [](const auto& tested) { return std::string{tested.param.reason}; });

TEST(Planner, AClusterThatFewOfTheTasksFit_IsGivenThoseOnly_AndTheRestOfItGoesToTheNextCampaign) {
  Snapshot snapshot{.clusters = {a_cluster(1), a_cluster(2, "beta")},
                    .campaigns = {a_campaign(1, 100), a_campaign(2, 100)},
                    .pairs = {a_pair(1, 1), a_pair(1, 2), a_pair(2, 1), a_pair(2, 2)}};
  snapshot.pairs[0].fitting_tasks = 100;
  snapshot.pairs[1].fitting_tasks = 3;
  for (const auto* order : {"fifo", "tickets"}) {
    const auto result = plan(snapshot, {.campaign_order = order});
    EXPECT_EQ(jobs_on(result, 1, 2) + jobs_on(result, 2, 2), 16) << order;
    EXPECT_LE(jobs_on(result, 1, 2), 3) << order;
  }
  EXPECT_EQ(explain(*decision_on(plan(snapshot), 1, 2), {{cluster_id(2), "beta"}}),
            "starting jobs on beta: 3 jobs to beta in this cycle; no other task that waits fits there");
}

TEST(Planner, ReturnedTask_WaitsForTheClusterThatReturnedIt) {
  Snapshot snapshot{
      .clusters = {a_cluster(1), a_cluster(2, "beta")}, .campaigns = {a_campaign(1, 3)}, .pairs = {a_pair(1, 1), a_pair(1, 2)}};
  snapshot.pairs[0].priority = 9;
  snapshot.pairs[1].returned_tasks = 3;
  const auto result = plan(snapshot);
  EXPECT_EQ(result, (Expect{.launched = {{1, 2, 3}}, .stopped = {{1, 1, "tasks_reserved"}}}));
  EXPECT_EQ(result.launches.at(0).returned, 3);
}

TEST(Planner, TasksThatWaitForTheirCheckpoints_AreExplainedWithThem) {
  Snapshot snapshot{
      .clusters = {a_cluster(1), a_cluster(2, "beta")}, .campaigns = {a_campaign(1, 3)}, .pairs = {a_pair(1, 1), a_pair(1, 2)}};
  snapshot.campaigns[0].checkpoint_cost = 60;
  snapshot.pairs[1].returned_tasks = 3;
  EXPECT_EQ(
      explain(*decision_on(plan(snapshot), 1, 1), {{cluster_id(1), "alpha"}}),
      "waiting for its turn on alpha: alpha gets nothing: the last 3 tasks wait for another cluster, which has their checkpoints; jobs start when that cluster has "
      "room, or anew here when checkpoint_patience is over");
}

TEST(Planner, ReturnedTasks_AreFirstInTheirClustersLaunches) {
  auto snapshot = one_of_each();
  snapshot.clusters[0].array_size = 10;
  snapshot.pairs[0].returned_tasks = 12;
  const auto result = plan(snapshot);
  ASSERT_EQ(result.launches.size(), 2U);
  EXPECT_EQ(result.launches[0].returned, 10);
  EXPECT_EQ(result.launches[1].returned, 2);
}

TEST(Planner, ReturnedTasksWaitForTheirCluster_WhateverStopsIt) {
  Snapshot snapshot{
      .clusters = {a_cluster(1), a_cluster(2, "beta")}, .campaigns = {a_campaign(1, 3)}, .pairs = {a_pair(1, 1), a_pair(1, 2)}};
  snapshot.pairs[1].returned_tasks = 3;
  const auto stopped = [&](auto stop) {
    auto copy = snapshot;
    stop(copy);
    return reason_on(plan(copy), 1, 1);
  };
  EXPECT_EQ(stopped([](Snapshot& s) { s.clusters[1].reachable = false; }), "tasks_reserved");
  EXPECT_EQ(stopped([](Snapshot& s) { s.clusters[1].enabled = false; }), "tasks_reserved");
  EXPECT_EQ(stopped([](Snapshot& s) { s.clusters[1].brake = Brake{.reason = "broken", .until = {}}; }), "tasks_reserved");
  EXPECT_EQ(stopped([](Snapshot& s) { s.pairs[1].brake = Brake{.reason = "its submissions are lost", .until = {}}; }), "tasks_reserved");
}

TEST(Planner, PairOfAnUnknownCluster_IsABug) {
  auto snapshot = one_of_each();
  snapshot.pairs.push_back(a_pair(1, 99));
  EXPECT_THROW((void)plan(snapshot), std::invalid_argument);
}

TEST(PlannerConfig, UnknownPolicy_IsRefusedWithTheClosestName) {
  EXPECT_TRUE(check(PlannerConfig{}));
  EXPECT_THAT(check(PlannerConfig{.campaign_order = "fifi"}).error(), testing::HasSubstr("did you mean 'fifo'?"));
  EXPECT_THAT(check(PlannerConfig{.placement = "powr"}).error(), testing::HasSubstr("did you mean 'power'?"));
  EXPECT_THROW((void)plan(one_of_each(), {.campaign_order = "random"}), std::invalid_argument);
}

TEST(Plan, BeforeItsPrologueIsDone_APairGetsNothing_AndTheOtherClustersGoOn) {
  for (const auto preparation : {grid::Preparation::prologue_due, grid::Preparation::prologue_runs, grid::Preparation::prologue_failed,
                                 grid::Preparation::epilogue_runs}) {
    auto snapshot = two_clusters(100);
    snapshot.pairs[0].preparation = preparation;
    const auto result = plan(snapshot);
    EXPECT_EQ(result, (Expect{.launched = {{1, 2, 16}}, .stopped = {{1, 1, "script_first"}}}));
  }
}

TEST(Plan, ACampaignWhoseTasksAreSettled_WaitsForItsEpilogues) {
  auto snapshot = two_clusters(0);
  snapshot.pairs[1].awaits_epilogue = true;
  const auto result = plan(snapshot);
  EXPECT_EQ(result, (Expect{.stopped = {{1, 0, "epilogues_left"}}}));
  EXPECT_EQ(
      explain(*decision_on(result, 1, 1), {}),
      "nothing left to start: all tasks of the campaign are settled; it ends when its epilogue has ended on " + snapshot.clusters[1].name);
  snapshot.pairs[0].awaits_epilogue = true;
  snapshot.clusters[0].retired = true;
  snapshot.clusters[1].enabled = false;
  EXPECT_EQ(explain(*decision_on(plan(snapshot), 1, 1), {}),
            fmt::format("nothing left to start: all tasks of the campaign are settled; it ends when its epilogue has ended on {0}; it "
                        "waits, as {0} was disabled by an administrator ('gridctl cluster enable {0}' enables it)",
                        snapshot.clusters[1].name));
}

TEST(Plan, ArraysAreNoLarger_ThanAWebServerBeforeOarTakes) {
  auto snapshot = one_of_each();
  snapshot.pairs[0].array_most = 6;
  const auto made = plan(snapshot);
  std::vector<int> jobs;
  for (const auto& launch : made.launches) jobs.push_back(launch.jobs);
  EXPECT_EQ(jobs, (std::vector{6, 6, 4}));
}

}  // namespace
}  // namespace gleaner::planner::test
