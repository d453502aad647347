#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "tests/unit/planner_builders.hpp"

namespace gleaner::planner::test {
namespace {

/// A wide job of 16 first, one-core tasks behind it; 10 of 16 resources are free, the others come
/// back in 600 s.
Snapshot wide_and_narrow() {
  auto snapshot = one_of_each(16);
  snapshot.campaigns.push_back(a_campaign(2));
  snapshot.pairs.push_back(a_pair(2, 1));
  snapshot.pairs[0].walltime = 3600;
  snapshot.pairs[1].walltime = 3600;
  snapshot.clusters[0].free_resources = 10;
  snapshot.clusters[0].endings = {{600, 6}};
  return snapshot;
}

TEST(Reservations, WhatIsFreed_IsHeldBackForAWideJob_AndShortWorkMayUseIt) {
  auto snapshot = wide_and_narrow();
  auto result = plan(snapshot);
  EXPECT_EQ(result, (Expect{.stopped = {{1, 1, "reserved"}, {2, 1, "held_for_reservation"}}, .held = {{1, 1}}}));
  ASSERT_EQ(result.reservations.size(), 1U);
  EXPECT_EQ(result.reservations[0].at, snapshot.now + grid::Seconds{600});
  snapshot.pairs[1].walltime = 600;
  EXPECT_EQ(plan(snapshot), (Expect{.launched = {{2, 1, 10}}, .stopped = {{1, 1, "reserved"}}, .held = {{1, 1}}}));
  EXPECT_EQ(plan(snapshot, {.reservations = false}), (Expect{.launched = {{2, 1, 10}}, .stopped = {{1, 1, "not_enough_resources"}}}));
}

TEST(Reservations, WhatTheWideJobLeaves_IsForEverybody) {
  auto snapshot = wide_and_narrow();
  snapshot.pairs[0] = a_pair(1, 1, 12);
  const auto result = plan(snapshot);
  EXPECT_EQ(result, (Expect{.launched = {{2, 1, 4}}, .stopped = {{1, 1, "reserved"}}, .held = {{1, 1}}}));
}

/// A real OAR starts three jobs a second: some are always on their way.
TEST(Reservations, JobsThatAreAboutToStart_AreWaitedForToo) {
  for (const auto about_to_start : {&ClusterView::waiting_resources, &ClusterView::unaccounted_resources}) {
    auto snapshot = wide_and_narrow();
    snapshot.clusters[0].*about_to_start = 2;
    const auto result = plan(snapshot);
    EXPECT_EQ(result, (Expect{.stopped = {{1, 1, "reserved"}, {2, 1, "held_for_reservation"}}, .held = {{1, 1}}}));
  }
}

/// A real OAR takes seconds to end a job.
TEST(Reservations, ResourcesOfJobsThatAreJustEnding_AreWaitedForToo) {
  auto snapshot = wide_and_narrow();
  snapshot.clusters[0].free_resources = 7;
  snapshot.clusters[0].our_resources = 9;
  const auto result = plan(snapshot);
  EXPECT_EQ(result, (Expect{.stopped = {{1, 1, "reserved"}, {2, 1, "held_for_reservation"}}, .held = {{1, 1}}}));
  ASSERT_EQ(result.reservations.size(), 1U);
  EXPECT_EQ(result.reservations[0].at, snapshot.now + grid::Seconds{600});
}

TEST(Reservations, ResourcesOfLocalUsers_AreNotWaitedFor) {
  auto snapshot = wide_and_narrow();
  snapshot.clusters[0].endings = {{600, 5}};
  const auto result = plan(snapshot);
  EXPECT_TRUE(result.reservations.empty());
  EXPECT_EQ(result, (Expect{.launched = {{2, 1, 10}}, .stopped = {{1, 1, "not_enough_resources"}}}));
}

TEST(Reservations, WithoutThem_AStreamOfNarrowTasksStarvesAWideJobForEver) {
  const auto starts_within = [](bool reservations) {
    std::vector<int> running(16, 0);  // seconds left of each one-core job
    for (int i = 0; i < 16; ++i) running[static_cast<std::size_t>(i)] = i + 1;
    for (int now = 0; now < 200; ++now) {
      auto snapshot = one_of_each(16);
      snapshot.campaigns = {a_campaign(1, 1), a_campaign(2, 1000)};
      snapshot.pairs.push_back(a_pair(2, 1));
      for (auto& pair : snapshot.pairs) pair.walltime = 16;
      snapshot.clusters[0].free_resources = static_cast<int>(std::ranges::count(running, 0));
      for (const int left : running) {
        if (left > 0) snapshot.clusters[0].endings.push_back({double(left), 1});
      }
      const auto result = plan(snapshot, {.reservations = reservations});
      if (jobs_on(result, 1, 1) > 0) return true;
      for (int jobs = jobs_on(result, 2, 1); jobs > 0; --jobs) *std::ranges::find(running, 0) = 16;
      for (auto& left : running) left = std::max(0, left - 1);
    }
    return false;
  };
  EXPECT_FALSE(starts_within(false));
  EXPECT_TRUE(starts_within(true));
}

/// A wide job and one-core tasks on a free alpha, half of whose size may wait in its queue.
Snapshot wide_on_a_free_cluster() {
  auto snapshot = wide_and_narrow();
  snapshot.pairs[0] = a_pair(1, 1, 12);
  snapshot.clusters[0].free_resources = 16;
  snapshot.clusters[0].flood = 0.5;
  return snapshot;
}

TEST(Reservations, AWideTaskThatWaitsForAnotherCluster_HasNothingHeldBack) {
  auto snapshot = wide_on_a_free_cluster();
  snapshot.campaigns[0].waiting_tasks = 1;
  snapshot.clusters.push_back(a_cluster(2, "beta"));
  snapshot.clusters[1].reachable = false;
  snapshot.pairs.push_back(a_pair(1, 2, 12));
  snapshot.pairs[2].returned_tasks = 1;
  EXPECT_EQ(plan(snapshot), (Expect{.launched = {{2, 1, 24}}, .stopped = {{1, 1, "tasks_reserved"}, {1, 2, "unreachable"}}}));
  snapshot.clusters[0].free_resources = 10;
  snapshot.clusters[0].flood = 0.0;
  EXPECT_EQ(plan(snapshot), (Expect{.launched = {{2, 1, 10}}, .stopped = {{1, 1, "not_enough_resources"}, {1, 2, "unreachable"}}}));
}

TEST(Reservations, AWideTestCampaign_HasNothingHeldBackWhereItHadItsJob) {
  auto snapshot = wide_on_a_free_cluster();
  snapshot.campaigns[0].type = grid::CampaignType::test;
  snapshot.pairs[0].live_jobs = 1;
  const auto result = plan(snapshot);
  EXPECT_EQ(result, (Expect{.launched = {{2, 1, 24}}, .stopped = {{1, 1, "test_already_given"}}}));
}

TEST(Reservations, AClusterThatTakesNoMoreOfACampaign_HasNothingHeldBackForIt_WhateverItsClass) {
  auto snapshot = wide_on_a_free_cluster();
  snapshot.clusters.push_back(a_cluster(2, "beta"));
  snapshot.pairs.push_back(a_pair(1, 2, 12));
  snapshot.pairs[2].has_affinity = true;
  for (const std::size_t full : {0U, 2U}) snapshot.pairs[full].max_jobs = snapshot.pairs[full].live_jobs = 1;
  const auto result = plan(snapshot, {.campaign_order = "affinity"});
  EXPECT_EQ(result, (Expect{.launched = {{2, 1, 24}}, .stopped = {{1, 1, "max_jobs_reached"}, {1, 2, "max_jobs_reached"}}}));
}

TEST(Reservations, AWideJobThatALimitKeepsOutOfTheQueue_HasResourcesHeldBack) {
  auto snapshot = wide_and_narrow();
  snapshot.clusters[0].flood = 1.0;
  snapshot.campaigns[1].user = "bob";
  snapshot.limits = {{.id = 7, .kind = LimitKind::waiting_jobs, .most = 0, .user = "ada"}};
  const auto result = plan(snapshot);
  EXPECT_EQ(result, (Expect{.stopped = {{1, 1, "reserved"}, {2, 1, "held_for_reservation"}}, .held = {{1, 1}}}));
}

TEST(Reservations, AJobThatMayNotWaitBehindOne_HasThatReason_AlsoWhenNothingIsFree) {
  auto snapshot = wide_and_narrow();
  snapshot.clusters[0].free_resources = 0;
  snapshot.clusters[0].endings = {{600, 16}};
  snapshot.clusters[0].flood = 0.5;
  EXPECT_EQ(plan(snapshot), (Expect{.stopped = {{1, 1, "reserved"}, {2, 1, "held_for_reservation"}}, .held = {{1, 1}}}));
}

/// The wide job comes after the narrow ones in each plan.
Snapshot wide_comes_last() {
  auto snapshot = wide_and_narrow();
  std::swap(snapshot.campaigns[0].submitted, snapshot.campaigns[1].submitted);
  snapshot.held = {{.campaign = campaign_id(1), .cluster = cluster_id(1), .begins = snapshot.now + grid::Seconds{600}}};
  return snapshot;
}

TEST(Reservations, OfEarlierPlans_AreHeldBeforeTheTurnsOfAllCampaigns_UntilTheJobStarts) {
  auto snapshot = wide_comes_last();
  const auto result = plan(snapshot);
  EXPECT_EQ(result, (Expect{.stopped = {{1, 1, "reserved"}, {2, 1, "held_for_reservation"}}, .held = {{1, 1}}}))
      << "their walltime ends after the reservation begins";
  EXPECT_EQ(result, (Expect{.stopped = {{1, 1, "reserved"}, {2, 1, "held_for_reservation"}}, .held = {{1, 1}}}));
  EXPECT_EQ(held_by(result), snapshot.held);
  snapshot.clusters[0].free_resources = 16;
  snapshot.clusters[0].endings = {};
  const auto freed = plan(snapshot);
  EXPECT_EQ(freed, (Expect{.launched = {{1, 1, 1}}, .stopped = {{2, 1, "held_for_reservation"}}}));
  EXPECT_TRUE(held_by(freed).empty());
  snapshot = wide_comes_last();
  snapshot.held = {};
  EXPECT_EQ(plan(snapshot), (Expect{.launched = {{2, 1, 10}}, .stopped = {{1, 1, "reserved"}}, .held = {{1, 1}}}));
}

TEST(Reservations, OfEarlierPlans_BeginNoLaterThanTheyForesaw_SoThatWorkBesideThemCannotPutThemOff) {
  auto snapshot = wide_comes_last();
  snapshot.pairs[1].walltime = 500;
  EXPECT_EQ(plan(snapshot), (Expect{.launched = {{2, 1, 10}}, .stopped = {{1, 1, "reserved"}}, .held = {{1, 1}}}));
  snapshot.held[0].begins = snapshot.now + grid::Seconds{499};
  EXPECT_EQ(plan(snapshot), (Expect{.stopped = {{1, 1, "reserved"}, {2, 1, "held_for_reservation"}}, .held = {{1, 1}}}));
}

TEST(Reservations, OfACampaignWhoseJobRunsThere_AreMadeInItsTurnAlone) {
  auto snapshot = wide_comes_last();
  snapshot.pairs[0].live_jobs = 1;
  const auto result = plan(snapshot);
  EXPECT_EQ(result, (Expect{.launched = {{2, 1, 10}}, .stopped = {{1, 1, "reserved"}}, .held = {{1, 1}}}));
  EXPECT_TRUE(held_by(result).empty());
}

/// Two campaigns whose jobs take the whole of a free alpha.
Snapshot two_wide() {
  auto snapshot = one_of_each(16);
  snapshot.campaigns = {a_campaign(1, 5), a_campaign(2, 5)};
  snapshot.campaigns[0].user = "jill";
  snapshot.campaigns[1].user = "jack";
  snapshot.users = {{.name = "jill", .share = 0.75}, {.name = "jack", .share = 0.25}};
  snapshot.pairs.push_back(a_pair(2, 1, 16));
  for (auto& pair : snapshot.pairs) pair.walltime = 6 * 3600;
  return snapshot;
}

/// A reservation for the other one would last, and go before the order in the next plan: they would take turns, whatever the order says.
TEST(Reservations, WhileTheCampaignThatGoesFirstHasMoreWideJobs_AreForItsNextOne) {
  for (const auto* const order : {"fifo", "fairshare"}) {
    const auto snapshot = two_wide();
    const auto result = plan(snapshot, {.campaign_order = order});
    EXPECT_EQ(result, (Expect{.launched = {{1, 1, 1}}, .stopped = {{2, 1, "earlier_campaigns"}}})) << order;
    EXPECT_TRUE(held_by(result).empty()) << order;
  }
}

TEST(Reservations, BehindACampaignThatHasNoMoreTasks_AreForTheOther) {
  auto snapshot = two_wide();
  snapshot.campaigns[0].waiting_tasks = 1;
  const auto result = plan(snapshot, {.campaign_order = "fairshare"});
  EXPECT_EQ(result, (Expect{.launched = {{1, 1, 1}}, .stopped = {{2, 1, "reserved"}}, .held = {{2, 1}}}));
}

/// A campaign of narrow jobs, a wide one that was submitted after it, and a full alpha that is free in 600 s.
Snapshot wide_after_narrow(std::int64_t tasks) {
  auto snapshot = one_of_each(1);
  snapshot.campaigns = {a_campaign(1, tasks), a_campaign(2, 1)};
  snapshot.pairs.push_back(a_pair(2, 1, 16));
  for (auto& pair : snapshot.pairs) pair.walltime = 3600;
  snapshot.clusters[0].free_resources = 0;
  snapshot.clusters[0].endings = {{600, 16}};
  return snapshot;
}

/// One that lasted would go before the order in the next plan, and the wide job would overtake them.
TEST(Reservations, AfterTheLastTasksOfACampaignThatWasSubmittedBefore_DoNotLast) {
  auto snapshot = wide_after_narrow(3);
  EXPECT_EQ(plan(snapshot).reservations.size(), 1U);
  EXPECT_TRUE(held_by(plan(snapshot)).empty());
  EXPECT_FALSE(held_by(plan(wide_after_narrow(17))).empty())
      << "more than the cluster holds at once: the wide job would not start for long";

  snapshot.campaigns[0].submitted = snapshot.campaigns[1].submitted + grid::Seconds{1};
  EXPECT_FALSE(held_by(plan(snapshot)).empty()) << "there is no end of campaigns that come later";

  snapshot = wide_after_narrow(0);
  EXPECT_FALSE(held_by(plan(snapshot)).empty());
  snapshot.pairs[0].live_jobs = snapshot.pairs[0].waiting_jobs = 3;
  EXPECT_TRUE(held_by(plan(snapshot)).empty()) << "they are in the cluster's queue, and may be taken back from there";
}

}  // namespace
}  // namespace gleaner::planner::test
