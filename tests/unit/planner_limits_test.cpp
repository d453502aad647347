#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/planner_builders.hpp"

namespace gleaner::planner::test {
namespace {

using testing::HasSubstr;

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

TEST(Limits, OnResourceSeconds_CountWhatAJobOfSeveralTasksUses_NotOneOfThem) {
  auto snapshot = one_of_each(2);
  snapshot.pairs[0].walltime = 100;
  snapshot.pairs[0].mean_duration = 10;
  snapshot.campaigns[0].waiting_tasks = 1000;
  snapshot.limits = {{.id = 7, .kind = LimitKind::resource_seconds, .most = 600, .used = 0, .user = "ada"}};
  EXPECT_EQ(plan(snapshot), (Expect{.launched = {{1, 1, 8}}})) << "all that is free: 20 resource-seconds each";
  snapshot.campaigns[0].grouping = grid::Grouping::on;
  EXPECT_EQ(plan(snapshot), (Expect{.launched = {{1, 1, 2}}})) << "2 min and one more task, with 2 resources";
}

TEST(Limits, OnlyThoseWhomItNames_AreHeld_AndTheyShareIt) {
  auto snapshot = users({"ada", "bob", "bob"});
  snapshot.limits = {{.id = 7, .kind = LimitKind::running_jobs, .most = 6, .user = "bob"}};
  snapshot.campaigns[0].waiting_tasks = 4;
  const auto result = plan(snapshot);
  EXPECT_EQ(result, (Expect{.launched = {{1, 1, 4}, {2, 1, 6}}, .stopped = {{3, 1, "limit_reached"}}}));
  EXPECT_THAT(explain(*decision_on(result, 3, 1), {{cluster_id(1), "alpha"}}),
              HasSubstr("limit 7 (user bob): at most 6 jobs at once, 6 now"));
}

TEST(Limits, OnResources_CountWhatOarGaveOnAverage_WhereTheJdlDoesNotSayIt) {
  auto snapshot = one_of_each();
  snapshot.pairs[0].resources_per_job = std::nullopt;
  snapshot.pairs[0].measured_resources = 4;
  snapshot.pairs[0].walltime = 10;
  snapshot.limits = {{.id = 7, .kind = LimitKind::resources, .most = 9}};
  EXPECT_EQ(plan(snapshot), (Expect{.launched = {{1, 1, 2}}}));
  snapshot.limits[0].kind = LimitKind::resource_seconds;
  snapshot.limits[0].most = 120;
  EXPECT_EQ(plan(snapshot), (Expect{.launched = {{1, 1, 3}}}));
}

TEST(Limits, OnResources_LetOneJobGoFirst_WhileNobodyKnowsWhatItTakes) {
  auto snapshot = one_of_each();
  snapshot.pairs[0].resources_per_job = std::nullopt;
  snapshot.limits = {{.id = 7, .kind = LimitKind::resources, .most = 9}};
  for (const int biggest_node : {0, 4, 64}) {
    snapshot.clusters[0].max_node_resources = biggest_node;
    const auto result = plan(snapshot);
    EXPECT_EQ(result, (Expect{.launched = {{1, 1, 1}}})) << biggest_node;
    EXPECT_THAT(explain(*decision_on(result, 1, 1), {{cluster_id(1), "alpha"}}),
                HasSubstr(biggest_node == 64 ? "at most 9 resources at once" : "known when this one has started"));
  }
  snapshot.pairs[0].live_jobs = 1;
  EXPECT_EQ(plan(snapshot), (Expect{.stopped = {{1, 1, "width_unknown"}}}));
  snapshot.limits[0].kind = LimitKind::running_jobs;
  EXPECT_EQ(plan(snapshot), (Expect{.launched = {{1, 1, 9}}}));
}

TEST(Limits, OneOnAllClusters_GoesToWhatIsFreeAnywhere_BeforeItGoesToAQueue) {
  for (const auto* placement : {"power", "balanced"}) {
    auto snapshot = two_clusters(100);
    snapshot.clusters[0].power = 2;
    snapshot.clusters[0].flood = snapshot.clusters[1].flood = 1;
    snapshot.limits = {{.id = 7, .kind = LimitKind::running_jobs, .most = 20}};
    const auto result = plan(snapshot, {.placement = placement});
    EXPECT_LE(jobs_on(result, 1, 1), 16) << placement;
    EXPECT_EQ(jobs_on(result, 1, 1) + jobs_on(result, 1, 2), 20) << placement;
    snapshot.limits[0].most = 40;
    EXPECT_EQ(plan(snapshot), (Expect{.launched = {{1, 1, 24}, {1, 2, 16}}})) << "8 of which wait";
  }
  auto snapshot = two_clusters(100);
  snapshot.clusters[0].flood = 1;
  snapshot.clusters[0].free_resources = 0;
  snapshot.limits = {{.id = 7, .kind = LimitKind::running_jobs, .most = 10}};
  const auto result = plan(snapshot);
  EXPECT_EQ(result, (Expect{.launched = {{1, 2, 10}}, .stopped = {{1, 1, "limit_reached"}}}));
}

TEST(Limits, AClusterUnderStress_TakesNoMoreThanItCan) {
  auto snapshot = one_of_each();
  snapshot.clusters[0].our_jobs = 3;
  snapshot.clusters[0].job_limit = 10;
  snapshot.clusters[0].stress_reason = "its stress factor is 0.9";
  EXPECT_EQ(plan(snapshot), (Expect{.launched = {{1, 1, 7}}}));
  snapshot.clusters[0].our_jobs = 10;
  EXPECT_EQ(plan(snapshot), (Expect{.stopped = {{1, 1, "under_stress"}}}));
}

/// Users, each with one campaign, on a cluster that has room for all.
Snapshot roomy(const std::vector<std::string>& names) {
  auto snapshot = users(names);
  snapshot.clusters[0].max_resources = snapshot.clusters[0].free_resources = 1000;
  return snapshot;
}

grid::Limit for_each(grid::LimitEach each, double most, std::map<std::string, double> used_by = {}) {
  return {.id = 7, .kind = LimitKind::running_jobs, .most = most, .each = each, .used_by = std::move(used_by)};
}

std::string why(const Snapshot& snapshot, std::int64_t campaign) {
  return explain(*decision_on(plan(snapshot), campaign, 1), {{cluster_id(1), "alpha"}});
}

TEST(Document004, ALimitForEachUser_HoldsEachByItself_WithAllCampaignsOfTheUser) {
  auto snapshot = roomy({"ada", "bob", "bob", "eve"});
  snapshot.limits = {for_each(grid::LimitEach::user, 6, {{"ada", 4}, {"eve", 9}, {"zoe", 100}})};
  snapshot.campaigns[1].waiting_tasks = 5;
  EXPECT_EQ(plan(snapshot), (Expect{.launched = {{1, 1, 2}, {2, 1, 5}, {3, 1, 1}}, .stopped = {{4, 1, "limit_reached"}}}));
  EXPECT_THAT(why(snapshot, 4), HasSubstr("limit 7 (each user: eve): at most 6 jobs at once, 9 now"));
}

TEST(Document004, ALimitForEachProjectOrCampaign_HoldsThose) {
  auto snapshot = roomy({"ada", "bob", "eve"});
  snapshot.campaigns[0].project = snapshot.campaigns[1].project = "physics";
  snapshot.limits = {for_each(grid::LimitEach::project, 6)};
  EXPECT_EQ(plan(snapshot), (Expect{.launched = {{1, 1, 6}, {3, 1, 6}}, .stopped = {{2, 1, "limit_reached"}}}));
  EXPECT_THAT(why(snapshot, 2), HasSubstr("limit 7 (each project: physics): at most 6"));
  snapshot.limits = {for_each(grid::LimitEach::campaign, 6, {{"2", 1}})};
  EXPECT_EQ(plan(snapshot), (Expect{.launched = {{1, 1, 6}, {2, 1, 5}, {3, 1, 6}}}));
  snapshot.limits[0].project = "physics";
  EXPECT_EQ(plan(snapshot), (Expect{.launched = {{1, 1, 6}, {2, 1, 5}, {3, 1, 100}}})) << "of the campaigns of that project alone";
}

TEST(Document004, ALimitThatNamesAUser_TakesThePlaceOfTheOneForEach) {
  auto snapshot = roomy({"ada", "bob"});
  snapshot.limits = {for_each(grid::LimitEach::user, 6), {.id = 8, .kind = LimitKind::running_jobs, .most = 20, .user = "ada"}};
  EXPECT_EQ(plan(snapshot), (Expect{.launched = {{1, 1, 20}, {2, 1, 6}}}));
  snapshot.limits[1].kind = LimitKind::resources;
  EXPECT_EQ(plan(snapshot), (Expect{.launched = {{1, 1, 6}, {2, 1, 6}}})) << "it counts something else, so that both hold";
  snapshot.limits[1].kind = LimitKind::running_jobs;
  snapshot.limits[1].cluster = cluster_id(1);
  EXPECT_EQ(plan(snapshot), (Expect{.launched = {{1, 1, 6}, {2, 1, 6}}})) << "it is on one cluster, so that both hold";
}

TEST(Document004, ALimitOnNodes_CountsThoseOfARequest_OrAsFewAsHoldAJob) {
  auto snapshot = roomy({"ada"});
  snapshot.clusters[0].max_node_resources = 8;
  const auto jobs = [&](std::optional<int> nodes, std::optional<int> resources) {
    snapshot.pairs[0].nodes_per_job = nodes;
    snapshot.pairs[0].resources_per_job = resources;
    snapshot.limits = {{.id = 7, .kind = LimitKind::nodes, .most = 9, .used = 1}};
    return jobs_on(plan(snapshot), 1, 1);
  };
  EXPECT_EQ(jobs(std::nullopt, 1), 8);
  EXPECT_EQ(jobs(std::nullopt, 8), 8);
  EXPECT_EQ(jobs(std::nullopt, 9), 4) << "two nodes hold it";
  EXPECT_EQ(jobs(4, 4), 2) << "a core of each of four nodes";
  EXPECT_EQ(jobs(2, std::nullopt), 4) << "whole nodes";
  EXPECT_EQ(jobs(9, 9), 0);
  EXPECT_THAT(why(snapshot, 1), HasSubstr("limit 7 (the whole grid): at most 9 nodes at once, 1 now, and a job needs 9"));
}

}  // namespace
}  // namespace gleaner::planner::test
