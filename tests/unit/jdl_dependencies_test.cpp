#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lib/jdl/dependencies.hpp"
#include "lib/jdl/parse.hpp"
#include "lib/jdl/several.hpp"

namespace gleaner::jdl {
namespace {

using grid::DependencyKind;
using testing::ElementsAre;
using testing::HasSubstr;

tl::expected<CampaignFile, std::vector<Problem>> file_with(std::string_view keys) {
  return parse(fmt::format("{{\"name\": \"n\", \"exec_file\": \"a\", \"nb_jobs\": 2, \"clusters\": {{\"alpha\": {{}}}},\n{}}}", keys));
}

std::string problems_with(std::string_view keys) {
  const auto file = file_with(keys);
  return file ? std::string{} : render(file.error(), "c");
}

Dependency on(DependencyKind kind, std::int64_t id) { return {kind, grid::CampaignId{id}}; }
Dependency on(DependencyKind kind, std::string name) { return {kind, std::move(name)}; }

TEST(JdlDependencies, AreNumbersOrNames_AloneOrInAnArray_InTheOrderOfTheirKinds) {
  EXPECT_THAT(file_with(R"("after_each": "12", "after": [7, "mesh", " solve "])")->dependencies,
              ElementsAre(on(DependencyKind::after, 7), on(DependencyKind::after, "mesh"), on(DependencyKind::after, "solve"),
                          on(DependencyKind::after_each, 12)));
  EXPECT_THAT(file_with(R"("after_any_end": "mesh")")->dependencies, ElementsAre(on(DependencyKind::after_any_end, "mesh")));
}

TEST(JdlDependencies, WhatIsNoCampaign_IsSaid_WithItsPlace) {
  EXPECT_EQ(problems_with(R"("after": -3)"), "c:2:10: after: '-3' is no campaign; write its number, such as 12, or its name\n");
  EXPECT_EQ(problems_with(R"("after": 1.5)"), "c:2:10: after: '1.5' is no campaign; write its number, such as 12, or its name\n");
  EXPECT_EQ(problems_with(R"("after": true)"), "c:2:10: after: 'true' is no campaign; write its number, such as 12, or its name\n");
  EXPECT_EQ(problems_with(R"("after": [""])"), "c:2:11: after: '' is no campaign; write its number, such as 12, or its name\n");
  EXPECT_EQ(problems_with(R"("after": [[3]])"), "c:2:11: after: '[ … ]' is no campaign; write its number, such as 12, or its name\n");
  EXPECT_EQ(problems_with(R"("after_each": [])"),
            "c:2:15: after_each: it is empty: write the campaigns that come first, or leave it out\n");
  EXPECT_EQ(problems_with(R"("after": 3, "after_each": [3])"),
            "c:2:28: after_each: the campaign 3 is named twice, in after and in after_each: once is enough\n");
  std::string many = "1";
  for (int i = 2; i <= 101; ++i) many += fmt::format(", {}", i);
  EXPECT_THAT(problems_with(fmt::format("\"after\": [{}]", many)), HasSubstr("a campaign comes after 100 others at most"));
}

TEST(JdlDependencies, AreStored_AndComeBack_AlsoAsACampaignFile) {
  const auto file = file_with(R"("after": [7, "mesh"], "after_any_end": 8, "after_each": "solve")").value();
  EXPECT_EQ(from_json(to_json(file))->dependencies, file.dependencies);
  EXPECT_EQ(parse(to_campaign_text(file))->dependencies, file.dependencies);
}

TEST(JdlDependencies, OfTasks_FollowTheirPredecessors_UnlessTheFileStatesThatTheyNeedNoFiles) {
  EXPECT_FALSE(file_with(R"("after_each": 12)")->any_cluster);
  EXPECT_FALSE(file_with(R"("after_each": 12, "after_each_cluster": "same")")->any_cluster);
  const auto any = file_with(R"("after_each_cluster": "any", "after_each": 12)").value();
  EXPECT_TRUE(any.any_cluster);
  EXPECT_TRUE(from_json(to_json(any))->any_cluster);
  EXPECT_TRUE(parse(to_campaign_text(any))->any_cluster);
  EXPECT_EQ(problems_with(R"("after_each_cluster": "any", "after": 12)"),
            "c:2:23: after_each_cluster: it says where tasks of after_each run, and there is no after_each: write both, or leave it out\n");
  EXPECT_THAT(problems_with(R"("after_each": 12, "after_each_cluster": "eny")"), HasSubstr("(did you mean 'any'?)"));
  EXPECT_THAT(problems_with(R"("after_each": 12, "replicas": "allowed")"), HasSubstr("replicas: a replica would run on another cluster"));
  EXPECT_THAT(problems_with(R"("after_each": 12, "scheduler": "finalize")"),
              HasSubstr("scheduler: a replica would run on another cluster, where the files of after_each's tasks are not: choose another "
                        "scheduler than finalize, or write"));
  EXPECT_EQ(problems_with(R"("after_each": 12, "after_each_cluster": "any", "replicas": "allowed")"), "");
}

TEST(SeveralCampaigns, OfAnArray_AreTexts_WhoseCharactersKeepTheirLinesAndColumns) {
  const std::string text = "# both\n[ {\"name\": \"a ] }\"},\n  /* , */ {\"name\":\n\"b\\\"\"}\n]\n";
  const auto campaigns = several_campaigns(text);
  ASSERT_TRUE(campaigns);
  EXPECT_THAT(*campaigns, ElementsAre("\n  {\"name\": \"a ] }\"}", "\n\n          {\"name\":\n\"b\\\"\"}"));
}

TEST(SeveralCampaigns, AreNone_WhereTheTextIsNoArrayOfObjects) {
  for (const std::string_view text : {"", "{}", "{\"a\": [{}]}", "[]", "[1]", "[{}", "[{}]]", "[{}] {}", "[[{}]]", "[{]}",
                                      "DEFAULT { name = a ; }", "[\"a\"]", "/* [{}] */", "[{\"a\": \"}]"})
    EXPECT_FALSE(several_campaigns(text)) << text;
}

TEST(SeveralCampaigns, OfAFileWithFarTooMany_AreCutOffOneBehindTheBound) {
  std::string text = "[{}";
  for (int i = 0; i < 200'000; ++i) text += ",\n{}";
  EXPECT_EQ(several_campaigns(text + "]").value().size(), kMostCampaigns + 1);
}

TEST(SeveralCampaigns, NamesInTheirDependencies_AreReplacedByNumbers_AndNothingElseIs) {
  const std::string text = R"({"name": "mesh", "after": ["mesh", 3, "other"], "x": {"after": "mesh"}, "after_each" : "sol\"ve" })";
  EXPECT_EQ(with_numbers(text, {{"mesh", 12}, {"sol\"ve", 0}}),
            R"({"name": "mesh", "after": [12, 3, "other"], "x": {"after": "mesh"}, "after_each" : 0 })");
  EXPECT_EQ(with_numbers(text, {}), text);
}

}  // namespace
}  // namespace gleaner::jdl
