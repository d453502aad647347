#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/planner_builders.hpp"

namespace gleaner::planner::test {
namespace {

using testing::HasSubstr;

// ------------------------------------------------------------------ placements

TEST(Placements, Fastest_PrefersTheMeasuredSpeedToTheConfiguredPower) {
  auto snapshot = two_clusters(10);
  snapshot.clusters[1].power = 2;
  EXPECT_EQ(plan(snapshot, {.placement = "fastest"}), (Expect{.launched = {{1, 2, 10}}, .stopped = {{1, 1, "tasks_elsewhere"}}}));
  snapshot.pairs[0].mean_duration = 100;
  snapshot.pairs[1].mean_duration = 120;
  EXPECT_EQ(plan(snapshot, {.placement = "fastest"}), (Expect{.launched = {{1, 1, 10}}, .stopped = {{1, 2, "tasks_elsewhere"}}}));
}

TEST(Placements, Balanced_DealsTheTasksInProportionToTheRoom) {
  auto snapshot = two_clusters(12);
  snapshot.clusters[1].free_resources = 8;
  const auto result = plan(snapshot, {.placement = "balanced"});
  EXPECT_EQ(result, (Expect{.launched = {{1, 1, 8}, {1, 2, 4}}}));
}

TEST(Placements, Document003_Throughput_CountsStartsAndInterruptions_BesideTheDuration) {
  const auto first = [](const Snapshot& snapshot) { return plan(snapshot, {.placement = "throughput"}).launches.at(0).cluster.value(); };
  auto snapshot = two_clusters(10);
  snapshot.clusters[1].power = 2;
  EXPECT_EQ(first(snapshot), 2) << "nothing ended: the configured power";
  snapshot.pairs[0].mean_duration = 100;
  snapshot.pairs[1].mean_duration = 90;
  EXPECT_EQ(first(snapshot), 2);
  snapshot.clusters[1].start_cost = 15;
  EXPECT_EQ(first(snapshot), 1) << "100 s, and 105 s with the start";
  snapshot.pairs[0].interruptions = 10;
  snapshot.pairs[0].exposed_seconds = 10'000;
  EXPECT_EQ(first(snapshot), 2) << "105.2 s: one job of 100 s in ten is interrupted";
  snapshot.campaigns[0].checkpoint_cost = 1;
  EXPECT_EQ(first(snapshot), 1) << "it goes on from its checkpoint";
  snapshot.campaigns[0].checkpoint_cost.reset();
  snapshot.pairs[0].interruptions = 1'000'000;
  EXPECT_EQ(first(snapshot), 2);
  snapshot.pairs[1] = snapshot.pairs[0];
  snapshot.pairs[1].cluster = snapshot.clusters[1].id;
  EXPECT_EQ(first(snapshot), 1) << "none of both does any: no figure overflows";
}

TEST(Placements, Transfer_WeighsTheInputAgainstTheSpeed) {
  auto snapshot = two_clusters(10);
  snapshot.campaigns[0].input_mb = 1000;
  snapshot.clusters[0].transfer_mb_s = 10;   // 100 s
  snapshot.clusters[1].transfer_mb_s = 100;  // 10 s
  snapshot.pairs[0].mean_duration = 60;
  snapshot.pairs[1].mean_duration = 100;
  EXPECT_EQ(plan(snapshot, {.placement = "transfer"}), (Expect{.launched = {{1, 2, 10}}, .stopped = {{1, 1, "tasks_elsewhere"}}}));
  snapshot.campaigns[0].input_mb = 100;
  EXPECT_EQ(plan(snapshot, {.placement = "transfer"}), (Expect{.launched = {{1, 1, 10}}, .stopped = {{1, 2, "tasks_elsewhere"}}}));
}

TEST(Placements, Transfer_OfUnknownBandwidth_TakesTheMeanOfTheKnownOnes) {
  Snapshot snapshot{.clusters = {a_cluster(1), a_cluster(2, "beta"), a_cluster(3, "gamma")},
                    .campaigns = {a_campaign(1, 20)},
                    .pairs = {a_pair(1, 1), a_pair(1, 2), a_pair(1, 3)}};
  snapshot.campaigns[0].input_mb = 1000;
  snapshot.clusters[0].transfer_mb_s = 100;  // 10 s
  snapshot.clusters[1].transfer_mb_s = 20;   // 50 s
  for (auto& pair : snapshot.pairs) pair.mean_duration = 60;
  auto result = plan(snapshot, {.placement = "transfer"});
  EXPECT_EQ(result, (Expect{.launched = {{1, 1, 16}, {1, 3, 4}}, .stopped = {{1, 2, "tasks_elsewhere"}}})) << "30 s";
  snapshot.pairs[2].mean_duration = 81;  // 30 + 81 s, and 50 + 60 s on beta
  result = plan(snapshot, {.placement = "transfer"});
  EXPECT_EQ(result, (Expect{.launched = {{1, 1, 16}, {1, 2, 4}}, .stopped = {{1, 3, "tasks_elsewhere"}}}));
  // Known of none, it weighs nothing.
  for (auto& cluster : snapshot.clusters) cluster.transfer_mb_s = 0;
  EXPECT_EQ(plan(snapshot, {.placement = "transfer"}),
            (Expect{.launched = {{1, 1, 16}, {1, 2, 4}}, .stopped = {{1, 3, "tasks_elsewhere"}}}));
}

TEST(Placements, AClusterWhereTasksFailed_ComesLaterUntilTimeRestoresIt) {
  auto snapshot = two_clusters(10);
  snapshot.clusters[0].power = 10;
  snapshot.pairs[0].standing = 0.25;
  EXPECT_EQ(plan(snapshot), (Expect{.launched = {{1, 2, 10}}, .stopped = {{1, 1, "tasks_elsewhere"}}}));
  snapshot.pairs[0].standing = 1.0;
  EXPECT_EQ(plan(snapshot), (Expect{.launched = {{1, 1, 10}}, .stopped = {{1, 2, "tasks_elsewhere"}}}));
}

// ------------------------------------------------------------------ properties

TEST(Properties, OfFewResources_GetNoMoreJobsThanThese_AndWhatMayWaitForThem) {
  auto snapshot = one_of_each();
  snapshot.campaigns.push_back(a_campaign(2));
  snapshot.pairs.push_back(a_pair(2, 1));
  snapshot.pairs[0].has_properties = true;
  snapshot.pairs[0].matching_resources = 4;
  auto result = plan(snapshot);
  EXPECT_EQ(result, (Expect{.launched = {{1, 1, 4}, {2, 1, 12}}})) << "the rest is others'";
  EXPECT_THAT(explain(*decision_on(result, 1, 1), {{cluster_id(1), "alpha"}}),
              HasSubstr("4 of the 16 resources there have the properties that the JDL asks for"));
  snapshot.clusters[0].flood = 0.5;
  EXPECT_EQ(plan(snapshot), (Expect{.launched = {{1, 1, 6}, {2, 1, 18}}})) << "two wait";
  snapshot.pairs[0].live_jobs = 6;
  result = plan(snapshot);
  EXPECT_EQ(result, (Expect{.launched = {{2, 1, 24}}, .stopped = {{1, 1, "few_match"}}}));
  EXPECT_THAT(explain(*decision_on(result, 1, 1), {{cluster_id(1), "alpha"}}),
              HasSubstr("4 of the 16 resources of alpha have the properties that the JDL asks for, and 6 jobs live there"));
}

TEST(Properties, OfFewerResourcesThanAJobTakes_GetNone_AndOfJustAsManyOne) {
  auto snapshot = one_of_each(4);
  snapshot.pairs[0].has_properties = true;
  snapshot.pairs[0].matching_resources = 3;
  EXPECT_EQ(plan(snapshot), (Expect{.stopped = {{1, 1, "few_match"}}}));
  snapshot.pairs[0].matching_resources = 4;
  EXPECT_EQ(plan(snapshot), (Expect{.launched = {{1, 1, 1}}}));
  snapshot.pairs[0].job_ratio = 1.0 / 16;
  EXPECT_EQ(plan(snapshot), (Expect{.launched = {{1, 1, 1}}})) << "a ratio that is too small is corrected by it";
}

TEST(Properties, ThatTheClusterDoesNotReport_LetAFewJobsGoFirst) {
  auto snapshot = one_of_each();
  snapshot.pairs[0].has_properties = true;
  EXPECT_EQ(plan(snapshot), (Expect{.launched = {{1, 1, 3}}}));
  snapshot.pairs[0].concluded_jobs = 1;
  EXPECT_EQ(plan(snapshot), (Expect{.launched = {{1, 1, 16}}}));
}

// ------------------------------------------------------------------ probes

TEST(Probes, Prediction_SendsAFewFirst_ThenAllWhenOneHasEnded) {
  auto snapshot = one_of_each();
  snapshot.campaigns[0].scheduler = "prediction";
  EXPECT_EQ(plan(snapshot), (Expect{.launched = {{1, 1, 3}}}));
  snapshot.pairs[0].live_jobs = 3;
  EXPECT_EQ(plan(snapshot), (Expect{.stopped = {{1, 1, "probing"}}}));
  snapshot.pairs[0].live_jobs = 2;
  snapshot.pairs[0].concluded_jobs = 1;
  EXPECT_EQ(plan(snapshot), (Expect{.launched = {{1, 1, 16}}}));
}

TEST(Probes, AKnownCommand_NeedsNone) {
  auto snapshot = one_of_each();
  snapshot.campaigns[0].scheduler = "prediction";
  snapshot.campaigns[0].profiled = true;
  EXPECT_EQ(plan(snapshot), (Expect{.launched = {{1, 1, 16}}}));
}

TEST(Probes, AClusterThatMayBeASink_GetsAFewFirst) {
  auto snapshot = two_clusters(100);
  snapshot.pairs[0].mean_duration = 60;
  EXPECT_EQ(plan(snapshot), (Expect{.launched = {{1, 1, 16}, {1, 2, 3}}}));
  snapshot.pairs[0].mean_duration.reset();
  EXPECT_EQ(plan(snapshot), (Expect{.launched = {{1, 1, 16}, {1, 2, 16}}}));
  snapshot.pairs[1].min_duration = 10;
  EXPECT_EQ(plan(snapshot), (Expect{.launched = {{1, 1, 16}, {1, 2, 3}}}));
}

TEST(Probes, AClusterThatIsSuspected_GetsAFew_HoweverLongItsJobsTookBefore) {
  auto snapshot = two_clusters(100);
  snapshot.pairs[0].mean_duration = snapshot.pairs[1].mean_duration = 60;
  EXPECT_EQ(plan(snapshot), (Expect{.launched = {{1, 1, 16}, {1, 2, 16}}}));
  snapshot.pairs[1].suspected = true;
  EXPECT_EQ(plan(snapshot), (Expect{.launched = {{1, 1, 16}, {1, 2, 3}}}));
}

TEST(Probes, AClusterAsFastAsMost_GetsAll_HoweverSlowTheSlowestIs) {
  auto snapshot = two_clusters(100);
  snapshot.clusters.push_back(a_cluster(3, "gamma"));
  snapshot.pairs.push_back(a_pair(1, 3));
  snapshot.pairs[0].mean_duration = 5;
  snapshot.pairs[1].mean_duration = 6;
  snapshot.pairs[2].mean_duration = 1000;
  EXPECT_EQ(plan(snapshot), (Expect{.launched = {{1, 1, 16}, {1, 2, 16}, {1, 3, 16}}}));
}

}  // namespace
}  // namespace gleaner::planner::test
