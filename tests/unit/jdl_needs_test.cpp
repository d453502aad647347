#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lib/jdl/edit.hpp"
#include "lib/jdl/facts_of.hpp"
#include "lib/jdl/json_syntax.hpp"
#include "lib/jdl/parse.hpp"

namespace gleaner::jdl {
namespace {

using testing::HasSubstr;

const std::vector<Consumable> kDeclared{{.name = "gpu", .most = std::nullopt}, {.name = "matlab", .most = 50, .limit = 7}};

KnownClusters a_grid(std::optional<std::vector<Consumable>> consumables = kDeclared) {
  return {.enabled = {"alpha"}, .disabled = {}, .consumables = std::move(consumables)};
}

tl::expected<CampaignFile, std::vector<Problem>> file_needing(std::string_view keys, const KnownClusters& grid = a_grid()) {
  return parse(fmt::format("{{\"name\": \"n\", \"exec_file\": \"a\", \"nb_jobs\": 2, \"clusters\": {{\"alpha\": {{}}}},\n{}}}", keys), {},
               &grid);
}

std::string problems_needing(std::string_view keys, const KnownClusters& grid = a_grid()) {
  const auto file = file_needing(keys, grid);
  return file ? std::string{} : render(file.error(), "c");
}

TEST(JdlNeeds, AreConsumablesByName_WithHowManyEachTaskNeeds) {
  const auto file = file_needing(R"("needs": {"matlab": 2, "gpu": "1"})").value();
  EXPECT_EQ(file.needs, (grid::Needs{{"gpu", 1}, {"matlab", 2}}));
  EXPECT_EQ(facts_of(file).needs, file.needs);
  EXPECT_TRUE(file_needing(R"("needs": {})")->needs.empty());
  EXPECT_TRUE(file_needing(R"("needs": null)")->needs.empty());
  EXPECT_EQ(file_needing(R"("needs": {"Abaqus:cae-2.1_x": 3})", a_grid(std::nullopt))->needs, (grid::Needs{{"Abaqus:cae-2.1_x", 3}}));
}

TEST(JdlNeeds, ANameThatNoAdministratorDeclared_IsRefused_WithTheKnownOnes) {
  EXPECT_EQ(problems_needing(R"("needs": {"matlib": 1})"),
            "c:2:11: needs.matlib: there is no consumable 'matlib' (did you mean 'matlab'?)\n");
  EXPECT_EQ(problems_needing(R"("needs": {"idl": 1})"),
            "c:2:11: needs.idl: there is no consumable 'idl'; the consumables are gpu, matlab\n");
  EXPECT_THAT(
      problems_needing(R"("needs": {"idl": 1})", a_grid(std::vector<Consumable>{})),
      HasSubstr("there is no consumable 'idl', nor any other: an administrator declares it (gridctl limit set consumable idl MOST)"));
}

TEST(JdlNeeds, MoreThanTheLimit_IsRefused_AndTheLimitIsNamed) {
  EXPECT_EQ(problems_needing(R"("needs": {"matlab": 50})"), "");
  EXPECT_EQ(problems_needing(R"("needs": {"matlab": 51})"),
            "c:2:21: needs.matlab: a task needs 51, and limit 7 allows 50 at once: write less, or ask the administrator\n");
  EXPECT_EQ(problems_needing(R"("needs": {"gpu": 51})"), "");
}

TEST(JdlNeeds, WhatIsNoNeed_IsRefused_WithItsPlace) {
  EXPECT_EQ(problems_needing(R"("needs": "matlab")"),
            "c:2:10: needs: it is a string; write what each task needs as an object: { \"matlab\": 1 }\n");
  EXPECT_EQ(problems_needing(R"("needs": [1])"),
            "c:2:10: needs: it is an array; write what each task needs as an object: { \"matlab\": 1 }\n");
  EXPECT_THAT(problems_needing(R"("needs": {"mat lab": 1})"), HasSubstr("'mat lab' is no name of a consumable: letters, digits"));
  EXPECT_THAT(problems_needing(R"("needs": {"": 1})"), HasSubstr("is no name of a consumable"));
  EXPECT_THAT(problems_needing(R"("needs": {"matlab": 0})"), HasSubstr("c:2:21: needs.matlab: "));
  EXPECT_THAT(problems_needing(R"("needs": {"matlab": 1.5})"), HasSubstr("c:2:21: needs.matlab: "));
  EXPECT_THAT(problems_needing(R"("needs": {"matlab": 1000001})"), HasSubstr("c:2:21: needs.matlab: "));
  std::string many;
  for (int i = 0; i <= 50; ++i) many += fmt::format("{}\"c{}\": 1", i == 0 ? "" : ", ", i);
  EXPECT_THAT(problems_needing(fmt::format("\"needs\": {{{}}}", many)), HasSubstr("it names 51 consumables, and may name 50"));
}

TEST(JdlNeeds, AreStored_AndComeBack_AlsoAsACampaignFile) {
  const auto file = file_needing(R"("needs": {"matlab": 2, "gpu": 1})").value();
  EXPECT_EQ(from_json(to_json(file))->needs, file.needs);
  EXPECT_EQ(parse(to_campaign_text(file))->needs, file.needs);
  EXPECT_EQ(grid::parse_needs("gpu=1 matlab=2"), file.needs);
  for (const auto* const text : {"matlab", "matlab=", "=1", "matlab=0", "matlab=1,gpu=1", "matlab=1  gpu=1"})
    EXPECT_FALSE(grid::parse_needs(text)) << text;
}

TEST(JdlNeeds, OfASubmittedCampaign_CanBeEdited_AndStayWhenTheirLimitWasLoweredOrRemoved) {
  const auto present = file_needing(R"("needs": {"matlab": 2})").value();
  const auto edited = [&](std::string_view text, const KnownClusters& grid) {
    Findings findings{Doubts::refused};
    auto changes = read_json(text, findings);
    return edit(present, std::move(changes), text, {}, grid).map([](Parsed result) { return result.file; });
  };
  EXPECT_EQ(edited(R"({"needs": {"gpu": 1}})", a_grid())->needs, (grid::Needs{{"gpu", 1}}));
  EXPECT_FALSE(edited(R"({"needs": {"matlib": 1}})", a_grid()));
  for (const auto& consumables : {std::vector<Consumable>{}, {{.name = "matlab", .most = 1, .limit = 7}}}) {
    EXPECT_EQ(edited(R"({"campaign_priority": 2})", a_grid(consumables))->needs, present.needs);
    EXPECT_FALSE(edited(R"({"needs": {"matlab": 3}})", a_grid({{{.name = "matlab", .most = 1, .limit = 7}}})));
  }
}

}  // namespace
}  // namespace gleaner::jdl
