// Which resources are available: document 004, "Determine Resource Availability".
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include "lib/grid/availability.hpp"

namespace gleaner::grid {
namespace {

constexpr std::array kPolicies{Availability::dedicated, Availability::utilized, Availability::combined};

rc::Gen<NodeUse> any_node() {
  return rc::gen::apply(
      [](int configured, int dedicated, int tenths) {
        return NodeUse{.configured = configured, .dedicated = std::min(configured, dedicated), .load = tenths / 10.0};
      },
      rc::gen::inRange(0, 65), rc::gen::inRange(0, 65), rc::gen::inRange(-10, 1000));
}

int utilized_of(const NodeUse& node) { return static_cast<int>(std::lround(std::clamp(node.load, 0.0, double(node.configured)))); }

RC_GTEST_PROP(Document004, Available_IsConfiguredMinusTheGreaterOfDedicatedAndUtilized, ()) {
  const auto node = *any_node();
  RC_ASSERT(available(Availability::dedicated, node) == node.configured - node.dedicated);
  RC_ASSERT(available(Availability::utilized, node) == node.configured - utilized_of(node));
  RC_ASSERT(available(Availability::combined, node) == node.configured - std::max(node.dedicated, utilized_of(node)));
}

RC_GTEST_PROP(Document004, Available_OfACluster_IsThatOfItsNodes_AndNeverMoreThanOarCanGive, ()) {
  const auto nodes = *rc::gen::container<std::vector<NodeUse>>(any_node());
  int configured = 0;
  std::array<int, 3> of_nodes{};
  for (const auto& node : nodes) {
    configured += node.configured;
    for (std::size_t i = 0; i < kPolicies.size(); ++i) of_nodes.at(i) += available(kPolicies.at(i), node);
  }
  const auto [free, by_load, by_both] = of_nodes;
  const auto in_all = load_in_all(nodes, configured - free);
  RC_ASSERT(in_all.utilized == load_by_node(nodes).utilized);
  RC_ASSERT(available_resources(free, in_all.loaded) == std::min(free, by_load));
  RC_ASSERT(available_resources(free, load_by_node(nodes).loaded) == by_both);
}

RC_GTEST_PROP(Document004, Available_IsNeverNegative_WhateverIsStored, (int free, int loaded)) {
  const int available = available_resources(free / 2, loaded / 2);
  RC_ASSERT(available >= 0);
  RC_ASSERT(available <= std::max(0, free / 2));
}

TEST(Availability, ALoadIsRounded_AndNeverMoreThanTheNode_AndABadOneIsNone) {
  const auto left = [](double load) { return available(Availability::combined, {.configured = 8, .dedicated = 0, .load = load}); };
  EXPECT_EQ(left(0.4), 8);
  EXPECT_EQ(left(0.5), 7);
  EXPECT_EQ(left(7.9), 0);
  EXPECT_EQ(left(1e300), 0);
  EXPECT_EQ(left(std::numeric_limits<double>::infinity()), 0);
  for (const double bad : {-1.0, -1e300, std::numeric_limits<double>::quiet_NaN()}) EXPECT_EQ(left(bad), 8) << bad;
}

TEST(Availability, OurOwnJobs_AreNotCountedTwice) {
  const std::array busy_with_jobs{NodeUse{.configured = 8, .dedicated = 8, .load = 8.2},
                                  NodeUse{.configured = 8, .dedicated = 3, .load = 3}};
  EXPECT_EQ(load_by_node(busy_with_jobs), (ClusterLoad{.utilized = 11, .loaded = 0}));
  EXPECT_EQ(load_in_all(busy_with_jobs, 11), (ClusterLoad{.utilized = 11, .loaded = 0}));
  const std::array interactive{NodeUse{.configured = 8, .dedicated = 3, .load = 6}, NodeUse{.configured = 8, .dedicated = 8, .load = 0}};
  EXPECT_EQ(load_by_node(interactive), (ClusterLoad{.utilized = 6, .loaded = 3}))
      << "what is idle on one node makes up for nothing on another";
  EXPECT_EQ(load_in_all(interactive, 11), (ClusterLoad{.utilized = 6, .loaded = 0}));
}

TEST(Availability, APolicyIsOneOfThree) {
  for (const auto policy : kPolicies) EXPECT_EQ(availability(name_of(policy)), policy);
  for (const auto* text : {"", "Dedicated", "both", "combined "}) EXPECT_FALSE(availability(text)) << text;
}

TEST(Availability, APropertyHasAPlainName) {
  EXPECT_TRUE(is_property_name("load_1"));
  for (const auto* text : {"", "a b", "load;", "load'", "l\xC3\xA9"}) EXPECT_FALSE(is_property_name(text)) << text;
}

}  // namespace
}  // namespace gleaner::grid
