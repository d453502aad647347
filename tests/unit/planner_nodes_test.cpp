// The resources that a job holds on the nodes of its cluster, and those that OAR assigns to jobs of its type.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/planner_facts.hpp"

namespace gleaner::planner::test {
namespace {

using testing::HasSubstr;

/// A campaign whose jobs take whole nodes of a cluster of two nodes of 8, all free.
struct WholeNodes : FactsOfOne {
  explicit WholeNodes(int nodes) : FactsOfOne{1} {
    auto& cluster = facts.clusters[0];
    cluster.max_node_resources = cluster.min_node_resources = 8;
    facts.pairs[0].resources_per_job.reset();
    facts.pairs[0].nodes_per_job = nodes;
    grid::fit_to_nodes(facts.pairs[0], cluster);
  }
  /// Jobs of so many cores of one node, while the nodes have these cores free.
  WholeNodes& of_one_node(int cores, std::string free_nodes) {
    facts.pairs[0].resources_per_job = cores;
    facts.pairs[0].nodes_per_job = 1;
    facts.clusters[0].free_nodes = std::move(free_nodes);
    facts.clusters[0].free_resources = 8;
    return *this;
  }
};

TEST(Nodes, OfAJobForWholeNodes_CountBeforeItsFirstJobHasStarted) {
  EXPECT_EQ(WholeNodes{1}.made(), (Expect{.launched = {{1, 1, 2}}}));
  EXPECT_EQ(WholeNodes{2}.made(), (Expect{.launched = {{1, 1, 1}}}));
  EXPECT_EQ(WholeNodes{4}.made(), (Expect{.stopped = {{1, 1, "too_big"}}}));
}

TEST(Nodes, OfAHeadroom_StayFree) {
  WholeNodes job{1};
  job.facts.clusters[0].headroom = *grid::headroom("12");
  EXPECT_EQ(job.made(), (Expect{.stopped = {{1, 1, "too_big"}}}));
  job.facts.clusters[0].headroom = *grid::headroom("4");
  EXPECT_EQ(job.made(), (Expect{.launched = {{1, 1, 1}}})) << "12 of 16 are offered";
}

TEST(Nodes, OfDifferentSizes_CountAsTheBiggest_UntilJobsHaveShownWhatTheyHold) {
  WholeNodes job{2};
  job.facts.clusters[0].min_node_resources = 4;
  job.facts.pairs[0].resources_per_job.reset();
  EXPECT_DOUBLE_EQ(grid::first_ratio({}, grid::whole_nodes(job.facts.pairs[0], job.facts.clusters[0])), 1.0 / 16);
  EXPECT_EQ(job.made(), (Expect{.launched = {{1, 1, 1}}}));
}

TEST(Nodes, WithAPartFree_AreNotAddedUpForAJobOfOneNode) {
  EXPECT_EQ(WholeNodes{1}.of_one_node(8, "8x1").made(), (Expect{.launched = {{1, 1, 1}}}));
  EXPECT_EQ(WholeNodes{1}.of_one_node(4, "4x2").made(), (Expect{.launched = {{1, 1, 2}}}));
  auto split = WholeNodes{1}.of_one_node(8, "4x2");
  EXPECT_EQ(split.made(), (Expect{.stopped = {{1, 1, "no_node_free"}}}));
  EXPECT_EQ(WholeNodes{1}.of_one_node(8, "").made(), (Expect{.launched = {{1, 1, 1}}})) << "not known: as before";
}

TEST(Nodes, OfAbsurdSizesAndRequests_LeaveThePlanWhole) {
  auto job = WholeNodes{2}.of_one_node(8, "1000000x1000000 1x1");
  job.facts.pairs[0].nodes_per_job = 10'000'000;
  job.facts.pairs[0].resources_per_job.reset();
  job.facts.clusters[0].max_node_resources = 2'000'000'000;
  EXPECT_EQ(job.made(), (Expect{.stopped = {{1, 1, "too_big"}}}));
  EXPECT_EQ(WholeNodes{1}.of_one_node(8, "8x").made(), (Expect{.launched = {{1, 1, 1}}})) << "what cannot be read is not known";
}

TEST(Nodes, ThatAnEarlierCampaignTakesAPartOf_AreNotGivenToAJobOfAWholeNode) {
  auto job = WholeNodes{1}.of_one_node(8, "8x1");
  auto first = job.facts.campaigns[0];
  first.waiting_tasks = 1;
  job.facts.campaigns[0].id = campaign_id(2);
  job.facts.campaigns[0].submitted += grid::Seconds{1};
  auto pair = job.facts.pairs[0];
  pair.nodes_per_job.reset();
  pair.resources_per_job = 1;
  job.facts.pairs[0].campaign = campaign_id(2);
  job.facts.campaigns.insert(job.facts.campaigns.begin(), first);
  job.facts.pairs.insert(job.facts.pairs.begin(), pair);
  const auto made = job.made();
  EXPECT_EQ(made, (Expect{.launched = {{1, 1, 1}}, .stopped = {{2, 1, "earlier_campaigns"}}}));
}

TEST(Nodes, ReservedForOtherJobs_AreNotAddedUpEither) {
  auto job = WholeNodes{1}.of_one_node(8, "4x2");
  auto& cluster = job.facts.clusters[0];
  cluster.reserved_resources = cluster.reserved_free = 8;
  cluster.reserved_free_nodes = "4x2";
  job.facts.pairs[0].best_effort = false;
  EXPECT_EQ(job.made(), (Expect{.stopped = {{1, 1, "no_node_free"}}}));
  cluster.reserved_free_nodes = "8x1";
  EXPECT_EQ(job.made(), (Expect{.launched = {{1, 1, 1}}}));
  cluster.free_nodes = "8x1";
  EXPECT_EQ(job.made(), (Expect{.launched = {{1, 1, 2}}}));
}

TEST(Nodes, ReservedForOtherJobs_AreOfferedToNormalJobsAlone) {
  WholeNodes job{1};
  auto& cluster = job.facts.clusters[0];
  cluster.max_resources = cluster.free_resources = 8;
  cluster.reserved_resources = cluster.reserved_free = 8;
  job.facts.pairs[0].nodes_per_job.reset();
  job.facts.pairs[0].resources_per_job = 1;
  EXPECT_EQ(job.made(), (Expect{.launched = {{1, 1, 8}}}));
  job.facts.pairs[0].best_effort = false;
  EXPECT_EQ(job.made(), (Expect{.launched = {{1, 1, 16}}}));
  cluster.max_resources = cluster.free_resources = 0;
  EXPECT_EQ(job.made(), (Expect{.launched = {{1, 1, 8}}}));
  job.facts.pairs[0].best_effort = true;
  EXPECT_EQ(job.made(), (Expect{.stopped = {{1, 1, "no_resources"}}}));
}

}  // namespace
}  // namespace gleaner::planner::test
