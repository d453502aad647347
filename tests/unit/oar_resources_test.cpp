#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lib/oar/parse.hpp"

/// Which of a cluster's resources OAR gives to jobs.
namespace gleaner::oar {
namespace {

using testing::SizeIs;

TEST(OarResources, ResourcesThatOarGivesToNoBestEffortJob_AreCountedApart_AndOthersThanCoresAreNone) {
  const auto page = parse_resources(
      R"({"total":6,"items":[{"id":1,"network_address":"n1","state":"Alive","type":"default","besteffort":"YES","drain":"NO","mem":"16"},)"
      R"({"id":2,"network_address":"n1","state":"Alive","type":"default","besteffort":"YES","drain":"YES"},)"
      R"({"id":3,"network_address":"n2","state":"Alive","type":"default","besteffort":"NO"},)"
      R"({"id":4,"network_address":"n2","state":"Dead","type":"default","besteffort":"NO"},)"
      R"({"id":5,"network_address":null,"state":"Alive","type":"licence","besteffort":"YES"},)"
      R"({"id":6,"network_address":"","state":"Alive","type":"disk","besteffort":"YES"}]})",
      "", "mem");
  ASSERT_TRUE(page) << page.error();
  const auto resources = count_resources(page->items, grid::from_unix(1'800'000'000));
  EXPECT_EQ(resources.usable(), 1);
  EXPECT_EQ(resources.dead_resources, 1) << "drained";
  EXPECT_EQ(resources.reserved, 1);
  EXPECT_EQ(resources.others, 2);
  EXPECT_EQ(resources.reserved_nodes.text(), "2x1") << "the dead one comes back";
  ASSERT_THAT(resources.nodes, SizeIs(1));
  EXPECT_EQ(resources.nodes[0].resources, 2);
  EXPECT_EQ(resources.nodes[0].memory, 16);
}

TEST(OarResources, TheLevelsOfTheHierarchy_AreCountedByTheirValues_AndZeroIsNoneWhereOthersHaveSome) {
  std::string items;
  for (int core = 0; core < 12; ++core) {
    const int node = core / 4;
    items += fmt::format(
        R"({}{{"id":{},"network_address":"n{}","state":"Alive","type":"default","besteffort":"YES","cpu":"{}","core":{},"gpu":{},"gpudevice":{},)"
        R"("model":"m","empty":null,"last_job_date":{}}})",
        core == 0 ? "" : ",", core + 1, node, node * 2 + core % 4 / 2, core, node == 2 ? 0 : core / 2 + 1, core % 4 / 2, core * 1000);
  }
  const auto page = parse_resources(R"({"total":12,"items":[)" + items + "]}", "", "");
  ASSERT_TRUE(page) << page.error();
  const auto resources = count_resources(page->items, grid::from_unix(1'800'000'000));
  EXPECT_EQ(resources.levels.text(), "cpu 2x6;gpu 2x4;gpudevice 6x2|2x6;model 12x1|4x3");
}

TEST(OarResources, WhatJobsHoldOfEachNode_IsReadWithWhoGetsIt) {
  const auto holds = parse_free(
      R"({"total":2,"items":[{"node":"n1","besteffort":"YES","usable":"8","held":3},{"node":"n2","besteffort":"NO","usable":8,"held":0}]})");
  ASSERT_TRUE(holds) << holds.error();
  ASSERT_THAT(*holds, SizeIs(2));
  EXPECT_EQ(holds->at(0).held, 3);
  EXPECT_TRUE(holds->at(0).best_effort);
  EXPECT_FALSE(holds->at(1).best_effort);
  EXPECT_FALSE(parse_free(R"({"total":2,"items":[{"node":"n1","usable":3,"held":1}]})"));
}

}  // namespace
}  // namespace gleaner::oar
