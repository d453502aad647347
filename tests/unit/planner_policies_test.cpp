#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "metascheduler/planner/orders/fairtree.hpp"
#include "metascheduler/planner/orders/tickets.hpp"
#include "tests/unit/planner_builders.hpp"

namespace gleaner::planner::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

/// Campaigns of ada, bob… on one cluster of 16 free resources.
Snapshot users(const std::vector<std::string>& names) {
  Snapshot snapshot{.clusters = {a_cluster(1)}, .campaigns = {}, .pairs = {}};
  for (std::int64_t i = 1; i <= std::ssize(names); ++i) {
    snapshot.campaigns.push_back(a_campaign(i));
    snapshot.campaigns.back().user = names[static_cast<std::size_t>(i - 1)];
    snapshot.pairs.push_back(a_pair(i, 1));
    snapshot.pairs.back().walltime = 3600;
  }
  return snapshot;
}

// ------------------------------------------------------------------ orders

TEST(Orders, PriorityClasses_GoBeforeTheOrderWithinThem) {
  auto snapshot = users({"ada", "bob"});
  snapshot.campaigns[1].priority = 2;
  EXPECT_EQ(jobs_on(plan(snapshot, {.order = "priority"}), 2, 1), 16);
  EXPECT_EQ(jobs_on(plan(snapshot, {.order = "fifo"}), 1, 1), 16);
  EXPECT_EQ(jobs_on(plan(snapshot, {.order = "priority,fairshare"}), 2, 1), 16);
}

TEST(Orders, UnknownNames_GetTheClosestKnownOne) {
  EXPECT_THAT(check({.order = "fairshar"}).error(), HasSubstr("did you mean 'fairshare'?"));
  EXPECT_THAT(check({.order = "priorty,fifo"}).error(), HasSubstr("did you mean 'priority'?"));
  EXPECT_THAT(check({.order = "fifo,priority"}).error(), HasSubstr("'fifo' must come last"));
  EXPECT_THAT(check({.order = "priority,priority"}).error(), HasSubstr("named twice"));
  EXPECT_TRUE(check({.order = "affinity, priority, tickets"}));
  EXPECT_FALSE(check({.order = ""}));
}

TEST(Orders, LowestPriority_ComesLast_WhateverTheOrder) {
  auto snapshot = users({"ada", "bob"});
  snapshot.campaigns[0].priority = kLowestPriority;
  for (const auto name : order_names()) EXPECT_EQ(jobs_on(plan(snapshot, {.order = std::string{name}}), 2, 1), 16) << name;
}

TEST(FairShare, EqualShares_SplitOnePlanInHalves) {
  auto snapshot = users({"ada", "bob"});
  snapshot.users = {{.name = "ada", .share = 0.5}, {.name = "bob", .share = 0.5}};
  const auto result = plan(snapshot, {.order = "fairshare"});
  EXPECT_EQ(jobs_on(result, 1, 1), 8);
  EXPECT_EQ(jobs_on(result, 2, 1), 8);
}

TEST(FairShare, TheStandingOfACampaign_IsToldWithItsFigures) {
  auto snapshot = users({"ada"});
  snapshot.users = {{.name = "ada", .share = 0.25, .usage = 0.1}};
  const auto result = plan(snapshot, {.order = "fairshare"});
  ASSERT_EQ(result.standings.size(), 1U);
  EXPECT_EQ(result.standings[0].text, "fair share of ada: 0.150 = share 0.250 - usage 0.100");
}

TEST(FairShare, OfOneUser_TheCampaignsGoOneAfterTheOther_OrShareWhenSimultaneous) {
  auto snapshot = users({"ada", "ada"});
  snapshot.users = {{.name = "ada", .share = 1.0}};
  EXPECT_EQ(jobs_on(plan(snapshot, {.order = "fairshare"}), 1, 1), 16);
  const auto both = plan(snapshot, {.order = "tickets", .simultaneous = true});
  EXPECT_GT(jobs_on(both, 1, 1), 0);
  EXPECT_GT(jobs_on(both, 2, 1), 0);
}

TEST(FairTree, ABranchThatUsedLess_GoesBeforeTheOther_WithAllItsUsers) {
  // physics has used more of its half than biology of its own: both biologists go first.
  const std::vector<ShareNode> tree{{.name = "physics", .shares = 50, .usage = 0.6},
                                    {.name = "markov", .parent = 0, .shares = 1, .usage = 0.6, .is_user = true},
                                    {.name = "biology", .shares = 50, .usage = 0.4},
                                    {.name = "julie", .parent = 2, .shares = 1, .usage = 0.35, .is_user = true},
                                    {.name = "mendel", .parent = 2, .shares = 1, .usage = 0.05, .is_user = true}};
  EXPECT_THAT(ranked_users(tree, std::vector<double>(tree.size(), 0.0)), ElementsAre(4, 3, 1));
}

TEST(FairTree, BranchesThatAreLevel_AreRankedTogether) {
  const std::vector<ShareNode> tree{{.name = "a", .shares = 1, .usage = 0.5},
                                    {.name = "a1", .parent = 0, .shares = 1, .usage = 0.4, .is_user = true},
                                    {.name = "a2", .parent = 0, .shares = 1, .usage = 0.1, .is_user = true},
                                    {.name = "b", .shares = 1, .usage = 0.5},
                                    {.name = "b1", .parent = 3, .shares = 1, .usage = 0.25, .is_user = true},
                                    {.name = "b2", .parent = 3, .shares = 1, .usage = 0.25, .is_user = true}};
  EXPECT_THAT(ranked_users(tree, std::vector<double>(tree.size(), 0.0)), ElementsAre(2, 4, 5, 1));
}

TEST(FairTree, AUserWithoutShares_ComesLast) {
  auto snapshot = users({"nobody", "ada"});
  snapshot.shares = {{.name = "ada", .shares = 1, .usage = 0.9, .is_user = true}};
  EXPECT_EQ(jobs_on(plan(snapshot, {.order = "fairtree"}), 2, 1), 16);
}

TEST(Multifactor, TheSumOfTheWeightedFactorsDecides_AndIsTold) {
  auto snapshot = users({"ada", "bob"});
  snapshot.now = grid::from_unix(1001 + 86400);
  snapshot.campaigns[1].submitted = snapshot.now;
  PlannerConfig config{.order = "multifactor", .weights = {.age = 100, .fairshare = 0, .size = 0, .priority = 0, .affinity = 0}};
  EXPECT_EQ(jobs_on(plan(snapshot, config), 1, 1), 16);
  config.weights = {.age = 100, .fairshare = 1000, .size = 0, .priority = 0, .affinity = 0};
  snapshot.users = {{.name = "bob", .share = 0.5, .usage = 0.5}};
  const auto result = plan(snapshot, config);
  EXPECT_EQ(jobs_on(result, 2, 1), 16);
  ASSERT_EQ(result.standings.size(), 2U);
  EXPECT_EQ(result.standings[1].text, "priority 500 = age 0.00 x 100 + fair-share 0.50 x 1000 + size 0.06 x 0 + priority 0.50 x 0 + affinity 0.00 x 0");
}

TEST(Multifactor, Weights_AreReadByName) {
  EXPECT_DOUBLE_EQ(parse_weights("age:1,size:2.5").value().size, 2.5);
  EXPECT_DOUBLE_EQ(parse_weights("age:1").value().fairshare, 0);
  EXPECT_THAT(parse_weights("ages:1").error(), HasSubstr("did you mean 'age'?"));
  EXPECT_THAT(parse_weights("age:x").error(), HasSubstr("the weight of age is 'x'"));
  EXPECT_FALSE(parse_weights("age"));
}

TEST(Tickets, OverTenThousandDraws_TheSharesConvergeToTheTickets) {
  TicketBox box{4};
  const std::vector<double> tickets{4.0, 2.0, 0.0, 1.0};
  for (std::size_t i = 0; i < tickets.size(); ++i) box.set(i, tickets[i]);
  Draw random{42};
  std::map<std::size_t, int> drawn;
  for (int i = 0; i < 10'000; ++i) ++drawn[box.draw(random).value()];
  // Five standard deviations of a binomial draw are under 0.025.
  for (std::size_t i = 0; i < tickets.size(); ++i) EXPECT_NEAR(drawn[i] / 10'000.0, tickets[i] / 7.0, 0.025) << i;
  EXPECT_EQ(drawn[2], 0);
}

TEST(Tickets, WhoHandsThemIn_IsNotDrawnAgain) {
  TicketBox box{3};
  box.set(0, 1.0);
  box.set(2, 1.0);
  box.set(0, 0.0);
  Draw random{1};
  for (int i = 0; i < 100; ++i) EXPECT_EQ(box.draw(random), 2U);
  box.set(2, 0.0);
  EXPECT_EQ(box.draw(random), std::nullopt);
}

TEST(Tickets, TheSameSeed_GivesTheSamePlan_AndAnotherOneGivesAnother) {
  auto snapshot = users({"ada", "bob", "eve"});
  const PlannerConfig config{.order = "tickets"};
  snapshot.seed = 1;
  const auto first = plan(snapshot, config).launches;
  EXPECT_EQ(first, plan(snapshot, config).launches);
  bool differs = false;
  for (snapshot.seed = 2; snapshot.seed < 10; ++snapshot.seed) differs = differs || first != plan(snapshot, config).launches;
  EXPECT_TRUE(differs);
}

// ------------------------------------------------------------------ placements

Snapshot two_clusters(std::int64_t tasks) {
  return {.clusters = {a_cluster(1), a_cluster(2, "beta")}, .campaigns = {a_campaign(1, tasks)}, .pairs = {a_pair(1, 1), a_pair(1, 2)}};
}

TEST(Placements, Fastest_PrefersTheMeasuredSpeedToTheConfiguredPower) {
  auto snapshot = two_clusters(10);
  snapshot.clusters[1].power = 2;
  EXPECT_EQ(jobs_on(plan(snapshot, {.placement = "fastest"}), 1, 2), 10);
  snapshot.pairs[0].mean_duration = 100;
  snapshot.pairs[1].mean_duration = 120;
  EXPECT_EQ(jobs_on(plan(snapshot, {.placement = "fastest"}), 1, 1), 10);
}

TEST(Placements, Balanced_DealsTheTasksInProportionToTheRoom) {
  auto snapshot = two_clusters(12);
  snapshot.clusters[1].free_resources = 8;
  const auto result = plan(snapshot, {.placement = "balanced"});
  EXPECT_EQ(jobs_on(result, 1, 1), 8);
  EXPECT_EQ(jobs_on(result, 1, 2), 4);
}

TEST(Placements, Transfer_WeighsTheInputAgainstTheSpeed) {
  auto snapshot = two_clusters(10);
  snapshot.campaigns[0].input_mb = 1000;
  snapshot.clusters[0].transfer_mb_s = 10;   // 100 s
  snapshot.clusters[1].transfer_mb_s = 100;  // 10 s
  snapshot.pairs[0].mean_duration = 60;
  snapshot.pairs[1].mean_duration = 100;
  EXPECT_EQ(jobs_on(plan(snapshot, {.placement = "transfer"}), 1, 2), 10);
  snapshot.campaigns[0].input_mb = 100;
  EXPECT_EQ(jobs_on(plan(snapshot, {.placement = "transfer"}), 1, 1), 10);
}

TEST(Placements, AClusterWhereTasksFailed_ComesLaterUntilTimeRestoresIt) {
  auto snapshot = two_clusters(10);
  snapshot.clusters[0].power = 10;
  snapshot.pairs[0].standing = 0.25;
  EXPECT_EQ(jobs_on(plan(snapshot), 1, 2), 10);
  snapshot.pairs[0].standing = 1.0;
  EXPECT_EQ(jobs_on(plan(snapshot), 1, 1), 10);
}

// ------------------------------------------------------------------ limits

TEST(Limits, EachKind_HoldsWhatItCounts) {
  auto snapshot = one_of_each(2);
  snapshot.pairs[0].walltime = 100;
  const auto jobs_with = [&](LimitKind kind, double most, double used) {
    snapshot.limits = {{.id = 7, .kind = kind, .most = most, .used = used, .user = "ada"}};
    return jobs_on(plan(snapshot), 1, 1);
  };
  EXPECT_EQ(jobs_with(LimitKind::running_jobs, 5, 2), 3);
  EXPECT_EQ(jobs_with(LimitKind::resources, 9, 0), 4);
  EXPECT_EQ(jobs_with(LimitKind::resource_seconds, 1000, 400), 3);
  EXPECT_EQ(jobs_with(LimitKind::running_jobs, 5, 9), 0);
  snapshot.clusters[0].flood = 0.5;
  EXPECT_EQ(jobs_with(LimitKind::waiting_jobs, 1, 0), 9);
}

TEST(Limits, OnlyThoseWhomItNames_AreHeld_AndTheyShareIt) {
  auto snapshot = users({"ada", "bob", "bob"});
  snapshot.limits = {{.id = 7, .kind = LimitKind::running_jobs, .most = 6, .user = "bob"}};
  snapshot.campaigns[0].waiting_tasks = 4;
  const auto result = plan(snapshot);
  EXPECT_EQ(jobs_on(result, 1, 1), 4);
  EXPECT_EQ(jobs_on(result, 2, 1), 6);
  EXPECT_EQ(jobs_on(result, 3, 1), 0);
  EXPECT_EQ(reason_on(result, 3, 1), "limit_reached");
  EXPECT_THAT(explain(*decision_on(result, 3, 1), {{cluster_id(1), "alpha"}}), HasSubstr("limit 7 (user bob): at most 6 jobs at once, 6 now"));
}

TEST(Limits, AClusterUnderStress_TakesNoMoreThanItCan) {
  auto snapshot = one_of_each();
  snapshot.clusters[0].our_jobs = 3;
  snapshot.clusters[0].job_limit = 10;
  EXPECT_EQ(jobs_on(plan(snapshot), 1, 1), 7);
  snapshot.clusters[0].our_jobs = 10;
  EXPECT_EQ(reason_on(plan(snapshot), 1, 1), "under_stress");
}

// ------------------------------------------------------------------ probes

TEST(Probes, Prediction_SendsAFewFirst_ThenAllWhenOneHasEnded) {
  auto snapshot = one_of_each();
  snapshot.campaigns[0].scheduler = "prediction";
  EXPECT_EQ(jobs_on(plan(snapshot), 1, 1), 3);
  snapshot.pairs[0].live_jobs = 3;
  EXPECT_EQ(reason_on(plan(snapshot), 1, 1), "probing");
  snapshot.pairs[0].live_jobs = 2;
  snapshot.pairs[0].concluded_jobs = 1;
  EXPECT_EQ(jobs_on(plan(snapshot), 1, 1), 16);
}

TEST(Probes, AKnownCommand_NeedsNone) {
  auto snapshot = one_of_each();
  snapshot.campaigns[0].scheduler = "prediction";
  snapshot.campaigns[0].profiled = true;
  EXPECT_EQ(jobs_on(plan(snapshot), 1, 1), 16);
}

TEST(Probes, AClusterThatMayBeASink_GetsAFewFirst) {
  auto snapshot = two_clusters(100);
  snapshot.pairs[0].mean_duration = 60;
  EXPECT_EQ(jobs_on(plan(snapshot), 1, 1), 16);
  EXPECT_EQ(jobs_on(plan(snapshot), 1, 2), 3);
  snapshot.pairs[0].mean_duration.reset();
  EXPECT_EQ(jobs_on(plan(snapshot), 1, 2), 16);
  snapshot.pairs[1].min_duration = 10;
  EXPECT_EQ(jobs_on(plan(snapshot), 1, 2), 3);
}

// ------------------------------------------------------------------ reservations

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
  EXPECT_EQ(reason_on(result, 1, 1), "reserved");
  EXPECT_EQ(reason_on(result, 2, 1), "held_for_reservation");
  ASSERT_EQ(result.reservations.size(), 1U);
  EXPECT_EQ(result.reservations[0].at, snapshot.now + grid::Seconds{600});
  snapshot.pairs[1].walltime = 600;
  EXPECT_EQ(jobs_on(plan(snapshot), 2, 1), 10);
  EXPECT_EQ(jobs_on(plan(snapshot, {.reservations = false}), 2, 1), 10);
}

TEST(Reservations, WhatTheWideJobLeaves_IsForEverybody) {
  auto snapshot = wide_and_narrow();
  snapshot.pairs[0] = a_pair(1, 1, 12);
  const auto result = plan(snapshot);
  EXPECT_EQ(jobs_on(result, 2, 1), 4);
}

TEST(Reservations, ResourcesOfLocalUsers_AreNotWaitedFor) {
  auto snapshot = wide_and_narrow();
  snapshot.clusters[0].endings = {{600, 5}};
  const auto result = plan(snapshot);
  EXPECT_TRUE(result.reservations.empty());
  EXPECT_EQ(reason_on(result, 1, 1), "not_enough_resources");
  EXPECT_EQ(jobs_on(result, 2, 1), 10);
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

// ------------------------------------------------------------------ preemption

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
  EXPECT_EQ(reason_on(result, 2, 1), "preempting");
  snapshot.pairs[0].dying_jobs = 5;
  EXPECT_TRUE(plan(snapshot).preemptions.empty());
  EXPECT_EQ(reason_on(plan(snapshot), 2, 1), "preempting");
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

// ------------------------------------------------------------------ replicas

/// The last 4 tasks of a campaign run on alpha; beta is free.
Snapshot last_tasks() {
  auto snapshot = two_clusters(0);
  snapshot.campaigns[0].replicas_allowed = true;
  snapshot.pairs[0].live_jobs = 4;
  snapshot.pairs[0].replicable_tasks = 4;
  return snapshot;
}

TEST(Replicas, TheLastTasks_GetASecondCopyElsewhere_WhenResourcesAreFree) {
  auto snapshot = last_tasks();
  EXPECT_THAT(plan(snapshot).replicas, ElementsAre(Replicas{campaign_id(1), cluster_id(2), 4, ReplicaKind::finalize}));
  snapshot.clusters[1].free_resources = 1;
  EXPECT_EQ(plan(snapshot).replicas.at(0).jobs, 1);
  snapshot.campaigns[0].replicas_allowed = false;
  EXPECT_TRUE(plan(snapshot).replicas.empty());
  snapshot = last_tasks();
  snapshot.campaigns[0].waiting_tasks = 1;
  EXPECT_TRUE(plan(snapshot).replicas.empty());
}

TEST(Replicas, OtherCampaigns_GoBeforeTheLastTasks_AndBehindExpiredOnes) {
  auto snapshot = last_tasks();
  snapshot.campaigns.push_back(a_campaign(2));
  snapshot.pairs.push_back(a_pair(2, 2));
  EXPECT_TRUE(plan(snapshot).replicas.empty());
  snapshot.pairs[0].expired_tasks = 2;
  const auto result = plan(snapshot);
  EXPECT_THAT(result.replicas, ElementsAre(Replicas{campaign_id(1), cluster_id(2), 2, ReplicaKind::expired}));
  EXPECT_EQ(jobs_on(result, 2, 2), 14);
}

}  // namespace
}  // namespace gleaner::planner::test
