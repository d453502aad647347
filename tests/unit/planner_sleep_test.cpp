// Nodes of a cluster: which of them jobs fill, which are left empty, and which that sleep are woken.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lib/grid/named_nodes.hpp"
#include "lib/grid/oarsub_words.hpp"
#include "tests/unit/planner_facts.hpp"

namespace gleaner::planner::test {
namespace {

using grid::NamedNode;
using grid::NamedNodes;
using testing::HasSubstr;
using Rest = NamedNode::Rest;

/// A campaign of 10 tasks of an hour on a cluster of four nodes of 8: two with jobs, which have 1 and 4 free, one empty, one asleep.
struct FourNodes : FactsOfOne {
  explicit FourNodes(int resources_per_job = 1) : FactsOfOne{resources_per_job} {
    auto& cluster = facts.clusters[0];
    cluster.max_resources = 32;
    cluster.free_resources = 21;
    cluster.max_node_resources = cluster.min_node_resources = 8;
    cluster.free_nodes = "8x2 4x1 1x1";
    cluster.open_nodes = "8x2";
    cluster.empty_nodes = "8x1";
    cluster.asleep_nodes = "8x1";
    cluster.longest_node_name = 6;
    facts.pairs[0].walltime = 7200;
    facts.pairs[0].active = true;
    facts.pairs[0].done = 1;
    facts.pairs[0].duration_sum = 3600;
    facts.campaigns[0].submitted = grid::from_unix(1000);
    tasks(10);
  }
  FourNodes& tasks(std::int64_t count) {
    facts.campaigns[0].waiting_tasks = count;
    return *this;
  }
  FourNodes& packed() {
    planner.placement = config.placement = "packed";
    return *this;
  }
  /// A node is woken for so many minutes of work on each of its cores.
  FourNodes& wakes_for(double minutes) {
    facts.clusters[0].wake_minutes = minutes;
    return *this;
  }
  /// Each job needs so many cores of one node.
  FourNodes& of_one_node(int cores) {
    facts.pairs[0].resources_per_job = cores;
    facts.pairs[0].nodes_per_job = 1;
    return *this;
  }
  /// The nodes that the only launch leaves empty.
  [[nodiscard]] std::string leaves() const {
    const auto made = this->made();
    return made.launches.size() == 1 ? made.launches[0].leaves : "no launch";
  }
};

TEST(Document000, Packed_FillsTheNodesWithTheFewestFreeCores_AndLeavesTheOthersEmpty) {
  EXPECT_EQ(FourNodes{}.tasks(5).packed().leaves(), "8x2") << "1 + 4 are free on nodes in use";
  EXPECT_EQ(FourNodes{}.tasks(6).packed().leaves(), "8x1") << "the sixth opens the node that is awake";
  EXPECT_EQ(FourNodes{}.tasks(13).packed().leaves(), "8x1");
  EXPECT_EQ(FourNodes{}.tasks(14).packed().leaves(), "") << "the last node is woken";
  EXPECT_EQ(FourNodes{}.tasks(5).leaves(), "") << "another placement leaves nothing";
}

TEST(Document000, Packed_FitsAJobOnTheFirstNodeThatHasAsManyCoresLeft) {
  EXPECT_EQ(FourNodes{}.of_one_node(4).tasks(1).packed().leaves(), "8x2") << "on the node with 4 free";
  EXPECT_EQ(FourNodes{}.of_one_node(2).tasks(3).packed().leaves(), "8x1") << "two where 4 are free, and none where 1 is";
  EXPECT_EQ(FourNodes{}.of_one_node(5).tasks(1).packed().leaves(), "8x1");
}

TEST(Document000, ReleaseEmptyInstances_NodesThatSleepAreLeftAsleep_WhileThereIsLittleWork) {
  auto nodes = FourNodes{}.tasks(5).wakes_for(30);
  EXPECT_EQ(nodes.leaves(), "8x2") << "the empty one that is awake may fall asleep, too";
  EXPECT_EQ(nodes.tasks(13).jobs(), 13);
  EXPECT_EQ(nodes.leaves(), "8x1");
  // 8 cores · 30 minutes are 4 hours of work: 3 tasks of an hour are too few, 4 are enough.
  EXPECT_EQ(nodes.tasks(16).jobs(), 13);
  EXPECT_EQ(nodes.leaves(), "8x1");
  EXPECT_EQ(nodes.tasks(17).jobs(), 17);
  EXPECT_EQ(nodes.leaves(), "");
}

TEST(Document000, ANodeIsWoken_ForTheWorkThatNodesAwakeDoNotDoMeanwhile) {
  auto nodes = FourNodes{}.tasks(20).wakes_for(60);
  auto& pair = nodes.facts.pairs[0];
  EXPECT_EQ(nodes.jobs(), 13) << "7 tasks of an hour are less than an hour on each of 8 cores";
  EXPECT_EQ(nodes.tasks(21).jobs(), 21);
  pair.running = 10;
  EXPECT_EQ(nodes.jobs(), 13) << "its own jobs end meanwhile, and take 5 of them";
  EXPECT_EQ(nodes.tasks(26).jobs(), 21);
}

TEST(Document000, WhileNothingShowsHowLongTasksTake_FewOfThemWakeNodes_AndThoseThatRunShowIt) {
  auto nodes = FourNodes{}.tasks(500).wakes_for(30);
  auto& pair = nodes.facts.pairs[0];
  pair.done = 0;
  pair.duration_sum = 0;
  EXPECT_EQ(nodes.jobs(), 13) << "these will show it";
  nodes.facts.clusters[0].free_resources = 8;
  nodes.facts.clusters[0].free_nodes = "8x1";
  nodes.facts.clusters[0].open_nodes = "8x3";
  nodes.facts.clusters[0].empty_nodes.clear();
  EXPECT_EQ(nodes.jobs(), 8) << "3 tasks, by their walltime of 2 hours, are worth a node";
  nodes.wakes_for(60);
  EXPECT_EQ(nodes.jobs(), 0);
  pair.running = 5;
  pair.last_start_at = grid::from_unix(901);
  EXPECT_EQ(nodes.jobs(), 8) << "500 tasks of at least 100 s are 13 hours of work";
  pair.last_start_at = grid::from_unix(996);
  EXPECT_EQ(nodes.jobs(), 0) << "tasks of 5 s are done soon";
}

TEST(Document000, ACampaignThatHasNoJob_WakesANodeWhenItIsOldEnough) {
  auto nodes = FourNodes{2}.tasks(1).wakes_for(600);
  auto& cluster = nodes.facts.clusters[0];
  cluster.free_resources = 8;
  cluster.free_nodes = "8x1";
  cluster.open_nodes = "8x3";
  cluster.empty_nodes.clear();
  EXPECT_EQ(nodes.made(), (Expect{.stopped = {{1, 1, "nodes_asleep"}}}));
  EXPECT_THAT(nodes.why(), HasSubstr("1 node of alpha is left asleep (empty)"));
  EXPECT_THAT(nodes.why(), HasSubstr("a node is woken for 600 minutes of work on each of its cores"));
  nodes.config.wake_after = nodes.planner.wake_after = std::chrono::seconds{1};
  EXPECT_EQ(nodes.jobs(), 1);
  nodes.facts.pairs[0].running = 1;
  EXPECT_EQ(nodes.jobs(), 0) << "what its job holds is free again when that ends";
}

TEST(Document000, NodesThatSleep_AreFreeForJobsThatAreNotBestEffort) {
  auto nodes = FourNodes{}.tasks(16).wakes_for(30);
  nodes.facts.pairs[0].best_effort = false;
  EXPECT_EQ(nodes.jobs(), 16);
  EXPECT_EQ(nodes.leaves(), "");
}

TEST(Sleep, EndsForJobsThatAreNotBestEffort_WhenNodesAwakeAreFull) {
  auto nodes = FourNodes{}.tasks(10).wakes_for(30);
  nodes.facts.pairs[0].best_effort = false;
  auto& other = nodes.facts.campaigns.emplace_back(nodes.facts.campaigns[0]);
  other.id = campaign_id(2);
  other.submitted += std::chrono::seconds{1};
  auto& pair = nodes.facts.pairs.emplace_back(nodes.facts.pairs[0]);
  pair.campaign = other.id;
  pair.best_effort = true;
  EXPECT_EQ(nodes.made(), (Expect{.launched = {{1, 1, 10}, {2, 1, 3}}})) << "13 cores are free and awake: OAR takes these first";
}

TEST(Sleep, OfACampaignWhosePropertiesChooseNodes_LeavesNone) {
  auto nodes = FourNodes{}.tasks(5).wakes_for(30);
  nodes.facts.pairs[0].has_properties = true;
  nodes.facts.pairs[0].matching_resources = 32;
  EXPECT_EQ(nodes.leaves(), "") << "only a node that would be left may have them";
  EXPECT_EQ(nodes.tasks(16).jobs(), 13) << "but none is offered that is to sleep";
}

TEST(Sleep, IsNotForJobs_ThatOnlyNodesWithoutJobsCanHold) {
  auto nodes = FourNodes{}.packed();
  nodes.facts.pairs[0].resources_per_job.reset();
  nodes.facts.pairs[0].nodes_per_job = 3;
  nodes.facts.clusters[0].free_nodes = "8x3";
  nodes.facts.clusters[0].open_nodes = "8x1";
  nodes.facts.clusters[0].empty_nodes = "8x2";
  grid::fit_to_nodes(nodes.facts.pairs[0], nodes.facts.clusters[0]);
  nodes.facts.clusters[0].free_resources = 24;
  EXPECT_EQ(nodes.leaves(), "");
  nodes.facts.pairs[0].nodes_per_job = 1;
  nodes.facts.pairs[0].resources_per_job = 8;
  EXPECT_EQ(nodes.tasks(1).leaves(), "8x2");
}

TEST(Sleep, OfMoreNodesThanAConditionCanName_IsLeftToOar_AndSaidSo) {
  auto nodes = FourNodes{}.tasks(600).wakes_for(1e5);
  auto& cluster = nodes.facts.clusters[0];
  cluster.max_resources = 16000;
  cluster.free_resources = 8005;
  cluster.open_nodes = "8x1000";
  cluster.empty_nodes.clear();
  cluster.asleep_nodes = "8x1000";
  cluster.free_nodes = "8x1000 4x1 1x1";
  cluster.longest_node_name = 20;
  EXPECT_EQ(nodes.leaves(), "");
  EXPECT_EQ(nodes.jobs(), 5) << "the resources of nodes that sleep are not offered";
  EXPECT_THAT(nodes.why(), HasSubstr("8000 of these on 1000 nodes left asleep (empty; too many to be named, so OAR may wake them)"));
}

TEST(Sleep, OfWhatWasRead_IsUnknown_WhereOarDoesNotSayIt) {
  auto nodes = FourNodes{}.wakes_for(30);
  auto& cluster = nodes.facts.clusters[0];
  cluster.open_nodes.clear();
  cluster.empty_nodes.clear();
  cluster.asleep_nodes.clear();
  EXPECT_EQ(nodes.leaves(), "");
  // OAR 3 says which nodes sleep, not what jobs hold of the others.
  cluster.free_nodes.clear();
  cluster.open_nodes = "8x3";
  cluster.asleep_nodes = "8x1";
  EXPECT_EQ(nodes.leaves(), "8x1");
  EXPECT_EQ(nodes.tasks(16).jobs(), 13);
}

NamedNodes some_nodes() {
  NamedNodes nodes;
  nodes.add({.name = "n3", .resources = 8, .rest = Rest::asleep});
  nodes.add({.name = "n1", .resources = 8, .rest = Rest::open});
  nodes.add({.name = "n2", .resources = 8, .rest = Rest::empty});
  nodes.add({.name = "big.example", .resources = 16, .rest = Rest::empty});
  nodes.add({.name = "n4", .resources = 8, .rest = Rest::open});
  return nodes;
}

TEST(NamedNodes, AreReadAsTheyWereWritten_ByName) {
  const auto text = some_nodes().text();
  EXPECT_EQ(text, "e 16 big.example\no 8 n1\ne 8 n2\nz 8 n3\no 8 n4\n");
  const auto read = NamedNodes::parse(text);
  ASSERT_TRUE(read);
  EXPECT_EQ(read->text(), text);
  EXPECT_EQ(read->sizes(Rest::empty).text(), "16x1 8x1");
  EXPECT_EQ(read->longest_name(), 11U);
  for (const auto* wrong : {"x 8 n1", "e n1", "e 8", "e8 n1", "e -1 n1", "e 8 n1' OR 1=1"}) EXPECT_FALSE(NamedNodes::parse(wrong)) << wrong;
}

TEST(NamedNodes, ThatSleep_AreLeftFirst_AndTheShorterSideIsNamed) {
  const auto left = [](std::string_view sizes) { return some_nodes().condition_leaving(*grid::NodeSizes::parse(sizes), 1000); };
  EXPECT_EQ(left("8x1"), "network_address NOT IN ('n3')");
  EXPECT_EQ(left("16x1 8x1"), "(network_address IN ('n4','n2','n1') OR type <> 'default')");
  EXPECT_EQ(left("8x9"), "network_address NOT IN ('n3','n2')") << "more than there are";
  EXPECT_EQ(left("4x1"), "");
  EXPECT_EQ(some_nodes().condition_leaving(*grid::NodeSizes::parse("8x1"), 40), std::nullopt);
  for (const auto* sizes : {"8x1", "16x1 8x1"}) EXPECT_EQ(grid::wrong_properties(*left(sizes)), std::nullopt);
}

TEST(NamedNodes, WithANameThatCannotBeOne_AreUnknown) {
  auto nodes = some_nodes();
  nodes.add({.name = "n5') OR ('1'='1", .resources = 8, .rest = Rest::empty});
  EXPECT_FALSE(nodes.known());
  EXPECT_EQ(nodes.text(), "");
  EXPECT_EQ(nodes.condition_leaving(*grid::NodeSizes::parse("8x1"), 1000), "");
}

}  // namespace
}  // namespace gleaner::planner::test
