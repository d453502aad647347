#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/planner_builders.hpp"

namespace gleaner::planner::test {
namespace {

using testing::ElementsAre;

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

TEST(Replicas, ComeInArraysThatTheirClusterTakes) {
  auto snapshot = last_tasks();
  snapshot.pairs[1].array_most = 3;
  EXPECT_THAT(plan(snapshot).replicas, ElementsAre(Replicas{campaign_id(1), cluster_id(2), 3, ReplicaKind::finalize},
                                                   Replicas{campaign_id(1), cluster_id(2), 1, ReplicaKind::finalize}));
  snapshot.pairs[1].array_most = 1;
  EXPECT_EQ(plan(snapshot).replicas.size(), 4U);
}

TEST(Replicas, OtherCampaigns_GoBeforeTheLastTasks_AndBehindExpiredOnes) {
  auto snapshot = last_tasks();
  snapshot.campaigns.push_back(a_campaign(2));
  snapshot.pairs.push_back(a_pair(2, 2));
  EXPECT_TRUE(plan(snapshot).replicas.empty());
  snapshot.pairs[0].expired_tasks = 2;
  const auto result = plan(snapshot);
  EXPECT_THAT(result.replicas, ElementsAre(Replicas{campaign_id(1), cluster_id(2), 2, ReplicaKind::expired}));
  EXPECT_EQ(result, (Expect{.launched = {{2, 2, 14}}, .stopped = {{1, 0, "bag_empty"}}, .replicas = {{1, 2, 2}}}));
}

/// The copies that the last 40 tasks of a campaign on alpha get on beta, which has 40 resources free.
int copies_with(void (*change)(Snapshot&)) {
  auto snapshot = last_tasks();
  for (auto& cluster : snapshot.clusters) cluster.max_resources = cluster.free_resources = 40;
  snapshot.pairs[0].live_jobs = snapshot.pairs[0].replicable_tasks = 40;
  change(snapshot);
  int copies = 0;
  for (const auto& replicas : plan(snapshot).replicas) copies += replicas.jobs;
  return copies;
}

TEST(Replicas, AreHeldByWhatHoldsFirstCopies) {
  EXPECT_EQ(copies_with([](Snapshot&) {}), 40);
  EXPECT_EQ(copies_with([](Snapshot& s) { s.pairs[1].max_jobs = 5; }), 5);
  EXPECT_EQ(copies_with([](Snapshot& s) { s.pairs[1].suspected = true; }), 3);
  EXPECT_EQ(copies_with([](Snapshot& s) {
              s.pairs[1].suspected = true;
              s.pairs[0].expired_tasks = 2;
            }),
            3)
      << "two expired ones included";
  EXPECT_EQ(copies_with([](Snapshot& s) { s.pairs[1].has_properties = true; }), 3);
  EXPECT_EQ(copies_with([](Snapshot& s) {
              s.pairs[1].has_properties = true;
              s.pairs[1].matching_resources = 6;
            }),
            6);
  EXPECT_EQ(copies_with([](Snapshot& s) { s.clusters[1].job_limit = 7; }), 7);
  EXPECT_EQ(copies_with([](Snapshot& s) {
              s.pairs[1].resources_per_job.reset();
              s.limits = {{.id = 7, .kind = LimitKind::resources, .most = 100}};
            }),
            1)
      << "how wide a job is there is not known";
}

TEST(Replicas, AndFirstCopiesOfOnePlan_TogetherKeepWhatHoldsAPair) {
  const auto given_on_beta = [](void (*change)(Snapshot&)) {
    auto snapshot = last_tasks();
    snapshot.campaigns[0].waiting_tasks = 100;
    snapshot.pairs[0].expired_tasks = 2;
    change(snapshot);
    const auto result = plan(snapshot);
    EXPECT_EQ(result.replicas.size(), 1U);
    int given = jobs_on(result, 1, 2);
    for (const auto& replicas : result.replicas) given += replicas.jobs;
    return given;
  };
  EXPECT_EQ(given_on_beta([](Snapshot& s) { s.pairs[1].max_jobs = 5; }), 5);
  EXPECT_EQ(given_on_beta([](Snapshot& s) { s.pairs[1].suspected = true; }), 3);
}

TEST(Replicas, DoNotGoWhereTheCampaignFileWantsNone_ThoughTasksAreBoundThere) {
  auto snapshot = last_tasks();
  snapshot.campaigns[0].waiting_tasks = 3;
  snapshot.pairs[0].expired_tasks = 2;
  snapshot.pairs[1].max_jobs = 0;
  snapshot.pairs[1].returned_tasks = 3;
  const auto result = plan(snapshot);
  EXPECT_TRUE(result.replicas.empty());
  EXPECT_EQ(result, (Expect{.launched = {{1, 2, 3}}, .stopped = {{1, 1, "tasks_reserved"}}}));
}

TEST(Replicas, AreNoMoreInOneLaunchThanTheClusterTakes) {
  EXPECT_EQ(copies_with([](Snapshot& s) { s.clusters[1].array_size = 8; }), 8);
}

/// The last 4 tasks of a campaign run on alpha, its only cluster, of four nodes of 4 resources.
Snapshot last_tasks_of_one_cluster() {
  auto snapshot = one_of_each();
  snapshot.campaigns[0].waiting_tasks = 0;
  snapshot.campaigns[0].replicas_allowed = true;
  snapshot.clusters[0].max_node_resources = 4;
  snapshot.clusters[0].free_resources = 12;
  snapshot.pairs[0].live_jobs = snapshot.pairs[0].replicable_tasks = 4;
  return snapshot;
}

int copies_beside(void (*change)(Snapshot&)) {
  auto snapshot = last_tasks_of_one_cluster();
  change(snapshot);
  int copies = 0;
  for (const auto& replicas : plan(snapshot).replicas) {
    EXPECT_EQ(replicas.place, ReplicaPlace::other_node);
    copies += replicas.jobs;
  }
  return copies;
}

TEST(Document003, TheLastTasksOfACampaignOfOneCluster_GetReplicasOnOtherNodesOfIt) {
  EXPECT_THAT(plan(last_tasks_of_one_cluster()).replicas,
              ElementsAre(Replicas{campaign_id(1), cluster_id(1), 4, ReplicaKind::finalize, ReplicaPlace::other_node}));
  EXPECT_EQ(copies_beside([](Snapshot& s) { s.clusters[0].free_resources = 3; }), 3);
  EXPECT_EQ(copies_beside([](Snapshot& s) { s.clusters[0].max_node_resources = 16; }), 0) << "it has one node";
  EXPECT_EQ(copies_beside([](Snapshot& s) { s.clusters[0].max_node_resources = 0; }), 0) << "nobody knows how many it has";
  EXPECT_EQ(copies_beside([](Snapshot& s) { s.pairs[0] = a_pair(1, 1, 12), s.pairs[0].replicable_tasks = 1; }), 1);
  EXPECT_EQ(copies_beside([](Snapshot& s) { s.pairs[0] = a_pair(1, 1, 13), s.pairs[0].replicable_tasks = 1; }), 0)
      << "besides a node of 4 there are 12";
  EXPECT_EQ(copies_beside([](Snapshot& s) { s.pairs[0].max_jobs = 6; }), 2);
  EXPECT_EQ(copies_beside([](Snapshot& s) { s.campaigns[0].waiting_tasks = 1; }), 0) << "a task waits, and takes the resources first";
  EXPECT_EQ(copies_beside([](Snapshot& s) {
              s.clusters[0].max_resources = s.clusters[0].free_resources = 400;
              s.pairs[0].live_jobs = s.pairs[0].replicable_tasks = 100;
            }),
            16)
      << "each is a launch of its own";
}

TEST(Document003, ReplicasGoToAnotherCluster_WhereTheCampaignHasOne) {
  auto snapshot = last_tasks();
  snapshot.clusters[0].max_node_resources = snapshot.clusters[1].max_node_resources = 4;
  snapshot.clusters[1].free_resources = 0;
  EXPECT_TRUE(plan(snapshot).replicas.empty()) << "beta will have room";
  snapshot.clusters[1].enabled = false;
  EXPECT_THAT(plan(snapshot).replicas,
              ElementsAre(Replicas{campaign_id(1), cluster_id(1), 4, ReplicaKind::finalize, ReplicaPlace::other_node}));
}

TEST(Document002, ExpiredTasks_GetReplicas_WhileOthersOfTheirCampaignWait) {
  auto snapshot = last_tasks();
  snapshot.campaigns[0].waiting_tasks = 100;
  snapshot.pairs[0].expired_tasks = 2;
  auto result = plan(snapshot);
  EXPECT_THAT(result.replicas, ElementsAre(Replicas{campaign_id(1), cluster_id(2), 2, ReplicaKind::expired}));
  EXPECT_EQ(result, (Expect{.launched = {{1, 1, 16}, {1, 2, 14}}, .replicas = {{1, 2, 2}}}));
  snapshot = last_tasks_of_one_cluster();
  snapshot.campaigns[0].waiting_tasks = 100;
  snapshot.pairs[0].expired_tasks = 3;
  result = plan(snapshot);
  EXPECT_THAT(result.replicas, ElementsAre(Replicas{campaign_id(1), cluster_id(1), 3, ReplicaKind::expired, ReplicaPlace::other_node}));
  EXPECT_EQ(result, (Expect{.launched = {{1, 1, 9}}, .replicas = {{1, 1, 3}}}));
}

TEST(Replicas, OfTasksWithRequestsOfTheirOwn_AreGiven_ThoughNoneWaitsThatWouldFit) {
  EXPECT_EQ(copies_with([](Snapshot& s) {
              for (auto& pair : s.pairs) pair.fitting_tasks = 0;
            }),
            40);
}

}  // namespace
}  // namespace gleaner::planner::test
