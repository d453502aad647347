// Memory of nodes: what tasks were measured to take orders clusters, and jobs are counted on nodes that have as much left.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lib/grid/node_memory.hpp"
#include "metascheduler/planner/memory.hpp"
#include "metascheduler/planner/placements/placement.hpp"
#include "tests/unit/planner_facts.hpp"

namespace gleaner::planner::test {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

grid::NodeMemory memory(std::string_view text) { return grid::NodeMemory::parse(text).value(); }

/// A campaign whose tasks took at most 3000 MB of memory on alpha.
Snapshot measured(std::int64_t tasks, std::string_view alpha, std::string_view beta) {
  auto snapshot = two_clusters(tasks);
  snapshot.clusters[0].memory = memory(alpha);
  snapshot.clusters[1].memory = memory(beta);
  snapshot.pairs[0].memory_jobs = kEnoughMeasured;
  snapshot.pairs[0].peak_memory_mb = 3000;
  know_memory(snapshot);
  return snapshot;
}

Plan planned(const Snapshot& snapshot, std::string_view placement) {
  PlannerConfig config;
  config.placement = placement;
  return plan(snapshot, config);
}

std::string order_of(const Plan& plan) { return plan.standings.empty() ? "" : decisions::text_of(plan.standings[0].figures); }

TEST(MemoryOfTasks, Document003_ClustersWhoseCoresGoWithAsMuch_GoFirst_WhateverThePlacement) {
  for (const auto placement : placement_names()) {
    EXPECT_EQ(planned(measured(10, "16:16000", "16:64000"), placement),
              (Expect{.launched = {{1, 2, 10}}, .stopped = {{1, 1, "tasks_elsewhere"}}}))
        << placement;
    EXPECT_EQ(planned(measured(10, "16:64000", "16:16000"), placement),
              (Expect{.launched = {{1, 1, 10}}, .stopped = {{1, 2, "tasks_elsewhere"}}}))
        << placement;
    EXPECT_EQ(planned(measured(20, "16:16000", "16:64000"), placement), (Expect{.launched = {{1, 1, 4}, {1, 2, 16}}}))
        << placement << ": none is forbidden";
  }
}

TEST(MemoryOfTasks, AClusterOfWhichNoNodeHasAsMuch_ComesLast) {
  const auto crowded = measured(10, "16:16000", "16:2000");
  EXPECT_EQ(planned(crowded, "power"), (Expect{.launched = {{1, 1, 10}}, .stopped = {{1, 2, "tasks_elsewhere"}}}));
  EXPECT_EQ(memory_figures(crowded.pairs[0], crowded.clusters[0]).fit, MemoryFit::crowds);
  EXPECT_EQ(memory_figures(crowded.pairs[1], crowded.clusters[1]).fit, MemoryFit::exceeds);
}

TEST(MemoryOfTasks, IsReportedWithBothFigures_AndTheKeyThatRequestsIt) {
  EXPECT_EQ(order_of(planned(measured(10, "16:16000", "16:64000"), "power")),
            "its tasks took 3000 MB of memory at most, and on alpha the cores of a job go with 1000 MB, so clusters with more come first; "
            "memory_mb in its JDL requests what a task needs");
  EXPECT_THAT(order_of(planned(measured(10, "16:64000", "16:2000"), "power")),
              HasSubstr("its tasks took 3000 MB of memory at most, and no node of beta has more than 2000 MB, so beta comes last"));
  EXPECT_THAT(order_of(planned(measured(10, "16:64000", "16:64000"), "power")), IsEmpty());
}

TEST(MemoryOfTasks, IsWeakerThanThePrioritiesOfTheJdl) {
  auto snapshot = measured(10, "16:16000", "16:64000");
  snapshot.pairs[0].priority = 2;
  EXPECT_EQ(jobs_on(planned(snapshot, "power"), 1, 1), 10);
}

TEST(MemoryOfTasks, CountsOnceFiveTasksShowIt_AndWhereTheJdlRequestsNone) {
  auto snapshot = measured(10, "16:16000", "16:64000");
  ASSERT_EQ(snapshot.pairs[1].measured_mb, 3000);
  for (auto& pair : snapshot.pairs) pair.measured_mb.reset();
  snapshot.pairs[0].memory_jobs = kEnoughMeasured - 1;
  know_memory(snapshot);
  EXPECT_FALSE(snapshot.pairs[1].measured_mb);
  snapshot.pairs[0].memory_jobs = kEnoughMeasured;
  snapshot.pairs[1].memory_mb = 4000;
  know_memory(snapshot);
  EXPECT_FALSE(snapshot.pairs[0].measured_mb);
  EXPECT_EQ(snapshot.pairs[1].taken_mb(), 4000);
}

TEST(MemoryOfTasks, IsComparedWithTheShareOfAllCoresOfAJob) {
  const auto fit = [](std::optional<int> cores, std::optional<int> nodes, std::string_view of_nodes) {
    PairView pair;
    pair.resources_per_job = cores;
    pair.nodes_per_job = nodes;
    pair.measured_mb = 3000;
    ClusterView cluster;
    cluster.memory = memory(of_nodes);
    return memory_figures(pair, cluster).fit;
  };
  EXPECT_EQ(fit(2, {}, "16:16000"), MemoryFit::crowds);
  EXPECT_EQ(fit(3, {}, "16:16000"), MemoryFit::fits);
  EXPECT_EQ(fit(6, 2, "16:16000"), MemoryFit::fits) << "3 of each node";
  EXPECT_EQ(fit(5, 2, "16:16000"), MemoryFit::crowds);
  EXPECT_EQ(fit({}, 1, "16:3000"), MemoryFit::fits) << "a whole node";
  EXPECT_EQ(fit({}, 1, "16:2999"), MemoryFit::exceeds);
  EXPECT_EQ(fit(3, {}, "16:16000 8:4000"), MemoryFit::crowds) << "on some of the nodes";
  EXPECT_EQ(fit(1, {}, ""), MemoryFit::fits) << "not known";
}

/// Four nodes of 8 cores and 8000 MB: two with jobs of others, which have 1 and 4 cores free, one empty, one asleep; jobs of one core.
struct FourNodes : FactsOfOne {
  FourNodes() : FactsOfOne{1} {
    auto& cluster = facts.clusters[0];
    cluster.max_resources = 32;
    cluster.free_resources = 21;
    cluster.max_node_resources = cluster.min_node_resources = 8;
    cluster.free_nodes = "8x2 4x1 1x1";
    cluster.open_nodes = "8x2";
    cluster.empty_nodes = "8x1";
    cluster.asleep_nodes = "8x1";
    cluster.longest_node_name = 6;
    cluster.node_memory = "8:8";
    cluster.memory_unit_mb = 1000;
    facts.pairs[0].active = true;
    planner.placement = config.placement = "packed";
  }
  FourNodes& requesting(std::int64_t megabytes) {
    facts.pairs[0].memory_mb = megabytes;
    return *this;
  }
  FourNodes& measured(int megabytes, std::int64_t tasks = kEnoughMeasured) {
    facts.pairs[0].memory_jobs = tasks;
    facts.pairs[0].peak_memory_mb = megabytes;
    return *this;
  }
  /// All that is held, by jobs of the campaign.
  FourNodes& running() {
    facts.pairs[0].running = 11;
    return *this;
  }
  /// The nodes that a launch of so many tasks leaves empty.
  [[nodiscard]] std::string leaves(std::int64_t tasks) {
    facts.campaigns[0].waiting_tasks = tasks;
    const auto made = this->made();
    return made.launches.size() == 1 ? made.launches[0].leaves : "no launch";
  }
};

TEST(Document000, Packed_FitsAJobOnTheFirstNodeThatHasAsMuchMemoryLeft) {
  EXPECT_EQ(FourNodes{}.leaves(5), "8x2") << "by cores alone: 4 and 1 are free";
  auto two = FourNodes{}.requesting(2000);
  EXPECT_EQ(two.leaves(2), "8x2") << "4000 MB are left beside the cores of others, and 1000 where one core is free";
  EXPECT_EQ(two.leaves(3), "8x1");
  EXPECT_EQ(two.leaves(6), "8x1") << "the empty node holds 4";
  EXPECT_EQ(two.leaves(7), "") << "the last node is woken";
  EXPECT_EQ(FourNodes{}.requesting(1000).leaves(5), "8x2") << "no more than the share of a core";
}

TEST(Document000, MemoryThatIsLeft_IsThatOfTheNode_WithoutWhatOurJobsTakeThere) {
  EXPECT_EQ(FourNodes{}.requesting(2000).running().leaves(1), "8x1") << "four jobs take all of the node's memory";
  EXPECT_EQ(FourNodes{}.requesting(500).running().leaves(5), "8x2");
  EXPECT_EQ(FourNodes{}.measured(1500).running().leaves(1), "8x2") << "2000 MB of 8000 are left";
  EXPECT_EQ(FourNodes{}.measured(1500).running().leaves(2), "8x1");
  // Smaller jobs of ours do not show that others leave memory, too.
  auto beside = FourNodes{}.requesting(500);
  beside.facts.pairs[0].running = 5;
  beside.facts.clusters[0].node_memory = "8:3";
  EXPECT_EQ(beside.leaves(2), "8x2") << "1000 MB are left beside 4 cores, each of which may be ours";
  EXPECT_EQ(beside.leaves(3), "8x1");
}

TEST(MemoryOfTasks, CountsAsARequestDoes_OnTheNodesThatPackedFills) {
  EXPECT_EQ(FourNodes{}.measured(2000).leaves(2), "8x2");
  EXPECT_EQ(FourNodes{}.measured(2000).leaves(3), "8x1");
  EXPECT_EQ(FourNodes{}.measured(2000, kEnoughMeasured - 1).leaves(5), "8x2") << "too few show it";
  EXPECT_EQ(FourNodes{}.measured(9000).leaves(5), "8x2") << "no node has as much: OAR starts it where cores are free";
}

TEST(MemoryOfTasks, LeavesNoNodeOut_WhereItIsRequested_AndNodesDiffer) {
  auto nodes = FourNodes{}.requesting(1000);
  nodes.facts.clusters[0].node_memory = "8:8 8:64";
  EXPECT_EQ(nodes.leaves(2), "") << "only a node that would be left may have the memory";
  nodes.facts.clusters[0].node_memory.clear();
  EXPECT_EQ(nodes.leaves(2), "") << "not known";
}

TEST(NodeMemory, IsSharedByTheResourcesOfItsNode) {
  EXPECT_EQ(memory("16:192 8:64").in_mb(1024).share_of(2), 2 * 64 * 1024 / 8);
  EXPECT_EQ(memory("16:192 8:64").share_of(0), 64) << "of a whole node";
  EXPECT_EQ(memory("16:192 8:64").share_of(12), 64) << "no node has more than its own";
  EXPECT_FALSE(grid::NodeMemory{}.share_of(1));
  EXPECT_TRUE(memory("16:192").is_uniform());
  EXPECT_FALSE(memory("16:192 16:64").is_uniform());
}

}  // namespace
}  // namespace gleaner::planner::test
