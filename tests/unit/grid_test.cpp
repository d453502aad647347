#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <limits>

#include "lib/grid/campaign_type.hpp"
#include "lib/grid/flood.hpp"
#include "lib/grid/node_memory.hpp"
#include "lib/grid/node_sizes.hpp"
#include "lib/grid/resource_fit.hpp"
#include "lib/grid/resource_request.hpp"
#include "lib/grid/walltime.hpp"

namespace gleaner::grid {
namespace {

using testing::HasSubstr;

TEST(Walltime, IsReadAsOarReadsIt) {
  EXPECT_EQ(parse_walltime("2"), Seconds{7200});
  EXPECT_EQ(parse_walltime("0:30"), Seconds{1800});
  EXPECT_EQ(parse_walltime("1:02:03"), Seconds{3723});
  EXPECT_EQ(parse_walltime("100:0:0"), Seconds{360'000});
}

TEST(Walltime, AnythingElse_IsRefused) {
  for (const auto* text :
       {"", "0", "0:0:0", "1:60", "1:0:60", "1:2:3:4", "-1", "1:", ":1", "1:-1", "1h", " 1", "99999999999999999999", "1:0:0 "})
    EXPECT_FALSE(parse_walltime(text)) << "'" << text << "'";
}

RC_GTEST_PROP(WalltimeProperty, WhatIsWritten_IsReadBack, ()) {
  const Seconds walltime{*rc::gen::inRange(1, 10'000'000)};
  RC_ASSERT(parse_walltime(format_walltime(walltime)) == walltime);
}

TEST(NodeSizes, AreCounted_TheBiggestFirst) {
  NodeSizes sizes;
  for (const int resources : {8, 16, 8, 0, 16, 8}) sizes.add(resources);
  EXPECT_EQ(sizes.text(), "16x2 8x3");
  EXPECT_EQ(sizes.resources(), 56);
  EXPECT_EQ(sizes.nodes(), 5);
  EXPECT_EQ(sizes.nodes_with(9), 2);
  EXPECT_EQ(sizes.biggest(), 16);
  EXPECT_EQ(sizes.size_of(3), 8);
  EXPECT_EQ(sizes.size_of(6), 0);
  EXPECT_FALSE(NodeSizes{}.known());
  EXPECT_EQ(NodeSizes{}.biggest(), 0);
}

TEST(NodeSizes, OfAbsurdAnswers_AreBounded) {
  NodeSizes sizes;
  for (int node = 1; node <= 5000; ++node) sizes.add(node, 1);
  EXPECT_LE(sizes.text().size(), 2000U);
  EXPECT_EQ(sizes.nodes(), 5000) << "each counts, as no bigger than it is";
  sizes.add(std::numeric_limits<int>::max(), std::numeric_limits<int>::max());
  sizes.add(1, std::numeric_limits<int>::max());
  EXPECT_GT(sizes.resources(), 0);
  EXPECT_LE(sizes.biggest(), 1'000'000);
  sizes.add(-1, 5);
  EXPECT_TRUE(NodeSizes::parse(sizes.text()));
}

TEST(NodeSizes, WhatIsWritten_IsReadBack_AndNothingElse) {
  for (const auto* text : {"", "16x2", "64x1 16x2 8x40"}) {
    const auto read = NodeSizes::parse(text);
    ASSERT_TRUE(read) << text;
    EXPECT_EQ(read->text(), text);
  }
  for (const auto* text : {"16", "x", "16x", "x2", "16x2,8x4", "0x1", "-1x2", "99999999999x1"})
    EXPECT_FALSE(NodeSizes::parse(text)) << text;
}

/// Why alpha, with these nodes, can never hold a request; empty: it can.
std::string too_wide_on(const std::string& nodes, const std::string& request) {
  const auto wide = too_wide(ResourceRequest::parse(request).value(), "alpha", NodeSizes::parse(nodes).value());
  return wide ? wide->why : std::string{};
}

TEST(ResourceFit, ARequestThatNoClusterOfThatKindHolds_IsReported_WithTheBiggestThatWouldFit) {
  EXPECT_EQ(too_wide_on("8x2", "/core=1000"), "/core=1000 takes 1000 resources, and alpha has 16 resources: /core=16 would fit");
  EXPECT_EQ(too_wide_on("8x2", "/nodes=1/core=64"),
            "/nodes=1/core=64 takes 64 resources of one node, and alpha has no node of more than 8: /nodes=1/core=8 would fit");
  EXPECT_EQ(too_wide_on("8x2", "/nodes=3/core=2"), "/nodes=3/core=2 takes 3 nodes, and alpha has 2 nodes: /nodes=2/core=2 would fit");
  EXPECT_EQ(too_wide_on("2x2", "/nodes=2/core=8"),
            "/nodes=2/core=8 takes 8 resources of one node, and alpha has no node of more than 2: /nodes=2/core=2 would fit");
  EXPECT_EQ(too_wide_on("16x1 8x3", "/nodes=2/core=16"),
            "/nodes=2/core=16 takes 2 nodes of 16 resources, and alpha has 1 of that size: /nodes=2/core=8 would fit");
  EXPECT_EQ(
      too_wide_on("8x2", "{mem > 8}/host=1/cpu=2/core=8"),
      "{mem > 8}/host=1/cpu=2/core=8 takes 16 resources of one node, and alpha has no node of more than 8: {mem > 8}/host=1/cpu=2/core=4 would fit");
  EXPECT_EQ(too_wide_on("8x2", "/cpu=100/core=1"),
            "/cpu=100/core=1 takes 100 resources, and alpha has 16 resources: /cpu=16/core=1 would fit");
  EXPECT_EQ(too_wide_on("8x2", "/core=10+/core=10"), "/core=10+/core=10 takes 20 resources, and alpha has 16 resources");
}

TEST(ResourceFit, WhatMayFit_IsNotRefused) {
  for (const auto* request : {"/core=16", "/nodes=2", "/nodes=2/core=8", "/nodes=1/cpu=2/core=4", "/nodes=ALL/core=8", "/core=ALL",
                              "/core=8+/core=8", "{mem > 8}/core=16"})
    EXPECT_EQ(too_wide_on("8x2", request), "") << request;
  EXPECT_EQ(too_wide_on("16x1 8x3", "/nodes=1/core=16"), "");
  for (const auto* request : {"/core=1000", "/nodes=100/core=64"})
    EXPECT_EQ(too_wide_on("", request), "") << "nothing is known of the cluster: " << request;
}

RC_GTEST_PROP(ResourceFitProperty, WhatIsSaidToFit_Fits, ()) {
  NodeSizes nodes;
  for (int i = *rc::gen::inRange(1, 4); i > 0; --i) nodes.add(*rc::gen::inRange(1, 100), *rc::gen::inRange(1, 50));
  std::string text;
  for (const auto* property : {"switch", "nodes", "cpu", "core"}) {
    if (*rc::gen::inRange(0, 3) > 0) text += "/" + std::string{property} + "=" + std::to_string(*rc::gen::inRange(1, 60));
  }
  if (text.empty()) text = "/core=7";
  const auto wide = too_wide(ResourceRequest::parse(text).value(), "alpha", nodes);
  if (!wide) return;
  RC_ASSERT(wide->biggest != text);
  RC_ASSERT(!too_wide(ResourceRequest::parse(wide->biggest).value(), "alpha", nodes));
}

std::optional<int> resources_of(std::string_view text) {
  const auto request = ResourceRequest::parse(text);
  EXPECT_TRUE(request) << text << ": " << request.error();
  return request ? request->resources() : std::nullopt;
}

TEST(ResourceRequest, CoresAreCounted) {
  EXPECT_EQ(resources_of("core=1"), 1);
  EXPECT_EQ(resources_of("/core=4"), 4);
  EXPECT_EQ(resources_of("/nodes=2/core=4"), 8);
  EXPECT_EQ(resources_of("/switch=2/nodes=10/core=2"), 40);
  EXPECT_EQ(resources_of("{mem > 8}/nodes=1/core=2"), 2);
  EXPECT_EQ(resources_of("/resource_id=1"), 1);
  EXPECT_EQ(resources_of("{a='x'}/core=1+{b='y'}/core=2"), 3);
}

TEST(ResourceRequest, WholeNodesAndAll_AreKnownToTheClusterAlone) {
  EXPECT_EQ(resources_of("/nodes=2"), std::nullopt);
  EXPECT_EQ(resources_of("/nodes=1/core=ALL"), std::nullopt);
  EXPECT_EQ(resources_of("/nodes=BEST/core=1"), std::nullopt);
}

TEST(ResourceRequest, LevelsAndTextAreKept) {
  const auto request = ResourceRequest::parse(" /nodes=2/core=4 ");
  ASSERT_TRUE(request);
  EXPECT_EQ(request->text(), "/nodes=2/core=4");
  ASSERT_EQ(request->levels().size(), 2U);
  EXPECT_EQ(request->levels()[0].property, "nodes");
  EXPECT_EQ(request->levels()[1].count, 4);
}

struct Refused {
  const char* text;
  const char* says;
};
class ResourceRequestRefuses : public testing::TestWithParam<Refused> {};
TEST_P(ResourceRequestRefuses, AndReportsWhatIsWrong) {
  const auto request = ResourceRequest::parse(GetParam().text);
  ASSERT_FALSE(request) << GetParam().text;
  EXPECT_THAT(request.error(), HasSubstr(GetParam().says));
}
INSTANTIATE_TEST_SUITE_P(Texts, ResourceRequestRefuses,
                         testing::Values(Refused{"", "empty"}, Refused{"/nodes", "no '='"}, Refused{"/nodes=two", "not a count"},
                                         Refused{"/nodes=0", "not a count"}, Refused{"/nodes=-1", "not a count"},
                                         Refused{"/nodes=1,walltime=1:0:0", "walltime"}, Refused{"{mem > 8/core=1", "not closed"},
                                         Refused{"/no de=1", "not the name"}, Refused{"/nodes=1000000/core=1000000", "more than"},
                                         Refused{"/core=1+", "empty"}, Refused{"/walltime=2", "does not belong"}));

RC_GTEST_PROP(ResourceRequestProperty, AnyText_IsReadOrRefused, (const std::string& text)) {
  const auto request = ResourceRequest::parse(text);
  if (request) RC_ASSERT(!request->levels().empty());
  else RC_ASSERT(!request.error().empty());
}

TEST(CampaignType, NamesAreReadBack) {
  for (const auto type : {CampaignType::default_, CampaignType::test}) EXPECT_EQ(campaign_type(name_of(type)), type);
  EXPECT_FALSE(campaign_type("prod"));
}

TEST(Flood, FreeAndFlood_AreWholeJobs) {
  EXPECT_EQ(tolerated_jobs({.ratio = 1.0, .free_resources = 5, .max_resources = 16, .flood = 0.25}), 9);
  EXPECT_EQ(tolerated_jobs({.ratio = 1.0 / 3, .free_resources = 5, .max_resources = 16, .flood = 0.25}), 2);
  EXPECT_EQ(excess_jobs({.waiting = 7, .ratio = 1.0 / 3, .free_resources = 5, .max_resources = 16, .flood = 0.25}), 5);
}

TEST(Flood, FreeResourcesThatNobodyTakes_LetNothingWait) {
  EXPECT_EQ(excess_jobs({.waiting = 7, .free_resources = 5, .max_resources = 16, .flood = 0.25, .starting = Starting::stuck}), 3);
}

TEST(Flood, OneJob_IsToleratedUnlessTheFloodIsZero) {
  EXPECT_EQ(excess_jobs({.waiting = 1, .ratio = 1.0 / 16, .max_resources = 16, .flood = 0.1}), 0);
  EXPECT_EQ(excess_jobs({.waiting = 1, .ratio = 1.0 / 16, .max_resources = 16, .flood = 0.0}), 1);
}

TEST(Starting, IsStill_WhileAStartOrTheOldestWaitingJobIsRecent) {
  const auto now = from_unix(1'000);
  const Seconds settle{10};
  EXPECT_EQ(starting_of(from_unix(995), from_unix(100), now, settle), Starting::still);
  EXPECT_EQ(starting_of(std::nullopt, from_unix(995), now, settle), Starting::still);
  EXPECT_EQ(starting_of(from_unix(900), from_unix(900), now, settle), Starting::stuck);
  EXPECT_EQ(starting_of(std::nullopt, std::nullopt, now, settle), Starting::stuck);
}

TEST(ResourceRequest, NamesTheNodesOfAJob_AndWhatTheyHoldOnAClusterOfOneSize) {
  const auto nodes = [](std::string_view text) { return ResourceRequest::parse(text).value().nodes(); };
  EXPECT_EQ(nodes("/nodes=4"), 4);
  EXPECT_EQ(nodes("{mem > 8}/cluster=2/host=3/core=1"), 6);
  for (const auto* none : {"/core=4", "/nodes=ALL", "/nodes=1+/nodes=2", "/cpu=2"}) EXPECT_FALSE(nodes(none)) << none;
  const auto held = [](std::string_view text, std::string_view sizes) {
    return resources_on(ResourceRequest::parse(text).value(), NodeSizes::parse(sizes).value());
  };
  EXPECT_EQ(held("/nodes=4", "8x10"), 32);
  EXPECT_EQ(held("/nodes=2/core=3", "16x1 8x10"), 6);
  EXPECT_FALSE(held("/nodes=4", "16x1 8x10")) << "whichever OAR chooses";
  EXPECT_FALSE(held("/nodes=4", ""));
}

TEST(ResourceRequest, WholeGpusAndOtherLevels_CountAsTheResourcesThatTheyHold) {
  const auto levels = LevelSizes::parse("cpu 8x4;gpu 4x8;gpudevice 16x2|4x8;odd 4x2 2x4;switch 16x2").value();
  const auto held = [&](std::string_view text) {
    return resources_on(ResourceRequest::parse(text).value(), NodeSizes::parse("8x4").value(), levels);
  };
  EXPECT_EQ(held("/gpu=1"), 4);
  EXPECT_EQ(held("{gpu_model = 'a'}/gpu=3"), 12);
  EXPECT_EQ(held("/host=1/gpu=2"), 8);
  EXPECT_EQ(held("/nodes=2/gpu=1"), 8);
  EXPECT_EQ(held("/host=1/gpudevice=1"), 4) << "of one node";
  EXPECT_EQ(held("/gpudevice=1"), 16) << "of all of them";
  EXPECT_EQ(held("/gpu=1+/core=2"), 6);
  EXPECT_EQ(held("/gpu=1+{type='licence'}/licence=2"), 4);
  EXPECT_EQ(held("/nodes=1/core=ALL"), 8);
  EXPECT_EQ(held("/gpu=2/core=1"), 2);
  EXPECT_EQ(held("/switch=1"), 16);
  EXPECT_FALSE(held("/odd=1")) << "whichever OAR chooses";
  EXPECT_EQ(held("/nodes=1/odd=1"), 4) << "at most, and less than the node";
  EXPECT_FALSE(held("/gpu=ALL"));
  EXPECT_FALSE(held("/fpga=1")) << "nothing is known of it";
  EXPECT_FALSE(resources_on(ResourceRequest::parse("/gpu=1").value(), NodeSizes::parse("8x4").value()));
}

TEST(ResourceRequest, MoreGpusThanTheClusterHas_AreTooWide_WithTheNumberThatWouldFit) {
  const auto wide = too_wide(ResourceRequest::parse("{mem > 8}/gpu=9").value(), "alpha", NodeSizes::parse("8x4").value(),
                             LevelSizes::parse("gpu 4x8").value());
  ASSERT_TRUE(wide);
  EXPECT_EQ(wide->why, "{mem > 8}/gpu=9 takes 9 values of gpu, and alpha has 8: {mem > 8}/gpu=8 would fit");
  EXPECT_FALSE(
      too_wide(ResourceRequest::parse("/gpu=8").value(), "alpha", NodeSizes::parse("8x4").value(), LevelSizes::parse("gpu 4x8").value()));
}

TEST(ResourceRequest, AMoldableRequest_IsRefused_WithWhatToDo) {
  for (const auto* text : {"/core=4 | /core=8", "/core=4|/core=8", "/core=4 -l /core=8", "-l /core=4 -l /core=8", "-l \"/core=4\""}) {
    const auto read = ResourceRequest::parse(text);
    ASSERT_FALSE(read) << text;
    EXPECT_NE(read.error().find("a moldable job"), std::string::npos) << read.error();
  }
  EXPECT_TRUE(ResourceRequest::parse("{a = 'x|y' OR b = '-l '}/core=4"));
}

TEST(LevelSizes, WhatIsWritten_IsReadBack_AndMeasuredValuesAreNoLevels) {
  for (const auto* text : {"", "gpu 4x8", "cpu 8x2;gpudevice 8x2|4x4"}) EXPECT_EQ(LevelSizes::parse(text).value().text(), text);
  for (const auto* text : {"gpu", " 4x8", "gpu x", "gpu 4x8|", "gpu 4x8|y"}) {
    const auto read = LevelSizes::parse(text);
    EXPECT_TRUE(!read || read->text().empty()) << text;
  }
  LevelSizes levels;
  NodeSizes many;
  for (int i = 1; i < 40; ++i) many.add(i);
  levels.add("serial", {many, many});
  EXPECT_EQ(levels.text(), "");
}

TEST(ResourceRequest, CountsNoLicencesAsCores) {
  const auto read = [](std::string_view text) { return ResourceRequest::parse(text).value(); };
  EXPECT_EQ(read("/nodes=1/core=2+{type = 'licence'}/licence=3").resources(), 2);
  EXPECT_EQ(read("{type='licence'}/licence=3+/nodes=1/core=2").nodes(), 1);
  EXPECT_EQ(read("{type = 'default' AND mem > 8}/core=2").resources(), 2);
  EXPECT_EQ(read("{cluster_type = 'a'}/core=2+{ types > 1}/core=3").resources(), 5);
  const auto none = read("{type='licence'}/licence=40");
  EXPECT_EQ(none.resources(), 1);
  EXPECT_EQ(none.others(), 40);
  EXPECT_EQ(read("/core=2+{type = 'licence'}/licence=3+{type='disk'}/host=1/disk=2").others(), 5);
  EXPECT_FALSE(none.is_of_cores());
  EXPECT_FALSE(too_wide(none, "alpha", NodeSizes::parse("8x1").value()));
  EXPECT_FALSE(too_wide(read("/core=8+{type='licence'}/licence=40"), "alpha", NodeSizes::parse("8x1").value()));
  EXPECT_TRUE(too_wide(read("/core=9+{type='licence'}/licence=1"), "alpha", NodeSizes::parse("8x1").value()));
}

TEST(NodeMemory, IsSharedByTheCoresThatAJobHolds) {
  const auto memory = NodeMemory::parse("8:16 16:192").value();
  EXPECT_EQ(memory.text(), "16:192 8:16");
  EXPECT_EQ(memory.resources_for(12), 5) << "one such job on 8 cores with 16";
  EXPECT_EQ(memory.resources_for(8), 3) << "two";
  EXPECT_EQ(memory.resources_for(2), 1);
  EXPECT_EQ(memory.resources_for(100), 9) << "only on the bigger node";
  EXPECT_FALSE(memory.resources_for(200));
  EXPECT_FALSE(NodeMemory{}.resources_for(1));
  for (const auto* bad : {"8", "8:x", "0:4", "8:0", "8:4:1"}) EXPECT_FALSE(NodeMemory::parse(bad)) << bad;
}

RC_GTEST_PROP(NodeMemory, OfJobsThatShareANode_IsNeverMoreThanTheNodeHas, ()) {
  const int cores = *rc::gen::inRange(1, 65), of_node = *rc::gen::inRange(1, 500), memory = *rc::gen::inRange(1, of_node + 1);
  NodeMemory known;
  known.add(cores, of_node);
  const int held = known.resources_for(memory).value();
  RC_ASSERT(cores / held * memory <= of_node);
  if (held > 1) RC_ASSERT(cores / (held - 1) * memory > of_node);
}

TEST(NodeMemory, RaisesTheCoresOfOneNodeInARequest) {
  const auto raised = [](std::string_view text) { return with_node_resources(ResourceRequest::parse(text).value(), 5); };
  EXPECT_EQ(raised("/core=1"), "/nodes=1/core=5");
  EXPECT_EQ(raised("{mem > 8}/nodes=2/core=3"), "{mem > 8}/nodes=2/core=5");
  for (const auto* same : {"/core=5", "/nodes=1", "/nodes=1/core=8", "/core=1+/core=2", "/cpu=1/core=2"})
    EXPECT_FALSE(raised(same)) << same;
}

}  // namespace
}  // namespace gleaner::grid
