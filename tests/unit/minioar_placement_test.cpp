#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <set>

#include "sim/minioar/condition.hpp"
#include "sim/minioar/hierarchy.hpp"

namespace gleaner::minioar {
namespace {

const std::vector<Resource> kResources = make_resources({.name = "alpha", .nodes = 2, .cores = 4, .mem = 16});

std::vector<std::int64_t> matching(std::string_view text) {
  const auto condition = Condition::parse(text);
  if (!condition) throw std::runtime_error{condition.error()};
  std::vector<std::int64_t> ids;
  for (const auto& resource : kResources) {
    if (condition->holds(resource)) ids.push_back(resource.id);
  }
  return ids;
}

using Ids = std::vector<std::int64_t>;

TEST(Condition, Comparisons_SelectResources) {
  EXPECT_EQ(matching("core <= 2"), (Ids{1, 2}));
  EXPECT_EQ(matching("host = 'alpha-2'"), (Ids{5, 6, 7, 8}));
  EXPECT_EQ(matching("core = '3'"), (Ids{3}));
  EXPECT_EQ(matching("mem > 100"), Ids{});
  EXPECT_EQ(matching("core <> 1 AND core < 4"), (Ids{2, 3}));
  EXPECT_EQ(matching("besteffort = 'YES' and desktop_computing='NO'").size(), 8U);
}

TEST(Condition, AndBindsTighterThanOr_AndNotTighterStill) {
  EXPECT_EQ(matching("core = 1 or core = 2 and host = 'alpha-2'"), (Ids{1}));
  EXPECT_EQ(matching("(core = 1 or core = 5) and host = 'alpha-2'"), (Ids{5}));
  EXPECT_EQ(matching("not core > 1 or core = 8"), (Ids{1, 8}));
  EXPECT_EQ(matching("NOT (core > 1)"), (Ids{1}));
}

TEST(Condition, SetsRangesAndPatterns_AreUnderstood) {
  EXPECT_EQ(matching("core in (1, 3,5)"), (Ids{1, 3, 5}));
  EXPECT_EQ(matching("core not in (1,2,3,4,5,6)"), (Ids{7, 8}));
  EXPECT_EQ(matching("core between 2 and 3"), (Ids{2, 3}));
  EXPECT_EQ(matching("host like 'alpha-_' and core = 1"), (Ids{1}));
  EXPECT_EQ(matching("host like '%2' and host not like 'beta%'"), (Ids{5, 6, 7, 8}));
  EXPECT_EQ(matching("mem is not null and core = 2"), (Ids{2}));
}

TEST(Condition, Mistakes_AreReportedAsPostgreSqlDoes) {
  const auto mistake = [](std::string_view text) { return Condition::parse(text).error(); };
  EXPECT_EQ(mistake("foo = 'x'"), "column \"foo\" does not exist");
  EXPECT_EQ(mistake("mem > "), "syntax error at or near \")\"");
  EXPECT_EQ(mistake("mem = 'x'"), "invalid input syntax for type integer: \"x\"");
  EXPECT_EQ(mistake("mem >>> 1"), "operator does not exist: integer >>> integer");
  EXPECT_EQ(mistake("host = 1"), "operator does not exist: character varying = integer");
  EXPECT_EQ(mistake("host = 'x"), "unterminated quoted string at or near \"'x\"");
  EXPECT_FALSE(Condition::parse("(mem = 1"));
  EXPECT_FALSE(Condition::parse("mem = 1)"));
}

RC_GTEST_PROP(Condition, AnyText_IsReadWithoutHarm, (const std::string& text)) { (void)Condition::parse(text); }

RC_GTEST_PROP(Condition, Negation_SelectsTheOthers, ()) {
  const auto left = *rc::gen::inRange(0, 10);
  const auto right = *rc::gen::inRange(0, 10);
  const auto text = "core < " + std::to_string(left) + " or core = " + std::to_string(right);
  RC_ASSERT(matching(text).size() + matching("not (" + text + ")").size() == kResources.size());
}

std::optional<std::vector<int>> placed(std::string_view request, const std::vector<int>& busy = {}) {
  const auto moldable = parse_moldable(request);
  if (!moldable) throw std::runtime_error{moldable.error().message};
  Choice choice{kResources, std::vector<bool>(kResources.size(), true), {}};
  for (const int place : busy) choice.usable[static_cast<std::size_t>(place)] = false;
  return place(*moldable, Condition{}, choice);
}

using Places = std::vector<int>;

TEST(Placement, Hierarchy_IsFilledFromTheFirstResources) {
  EXPECT_EQ(placed("/core=1"), (Places{0}));
  EXPECT_EQ(placed("/nodes=2/core=1"), (Places{0, 4}));
  EXPECT_EQ(placed("/host=1/core=2"), (Places{0, 1}));
  EXPECT_EQ(placed("core=3"), (Places{0, 1, 2}));
  EXPECT_EQ(placed("/resource_id=1"), (Places{0}));
  EXPECT_EQ(placed("/core=1+/core=2"), (Places{0, 1, 2}));
  EXPECT_EQ(placed("{host='alpha-2'}/core=1"), (Places{4}));
}

TEST(Placement, WholeNodes_NeedAllTheirCores) {
  EXPECT_EQ(placed("/nodes=1"), (Places{0, 1, 2, 3}));
  EXPECT_EQ(placed("/nodes=1", {2}), (Places{4, 5, 6, 7}));
  EXPECT_EQ(placed("/cpu=1", {2, 5}), std::nullopt);
}

TEST(Placement, CoresOfOneNode_AreNotSpreadOverTwo) {
  EXPECT_EQ(placed("/host=1/core=3", {0, 1}), (Places{4, 5, 6}));
  EXPECT_EQ(placed("/host=1/core=3", {0, 1, 4, 5}), std::nullopt);
  EXPECT_EQ(placed("/core=4", {0, 1, 4, 5}), (Places{2, 3, 6, 7}));
}

TEST(Placement, MoreThanThereIs_DoesNotFit) {
  EXPECT_EQ(placed("/nodes=3"), std::nullopt);
  EXPECT_EQ(placed("/nodes=1/core=5"), std::nullopt);
  EXPECT_EQ(placed("/core=0"), std::nullopt);
}

TEST(Placement, AllAndBest_TakeWhatTheySay) {
  EXPECT_EQ(placed("/core=ALL")->size(), 8U);
  EXPECT_EQ(placed("/core=ALL", {7}), std::nullopt);
  EXPECT_EQ(placed("/nodes=BEST", {7}), (Places{0, 1, 2, 3}));
}

TEST(Placement, Rank_DecidesWhichValuesComeFirst) {
  const auto moldable = parse_moldable("/core=2");
  Choice choice{kResources, std::vector<bool>(kResources.size(), true), {3, 2, 1, 0, 9, 9, 9, 9}};
  EXPECT_EQ(place(*moldable, Condition{}, choice), (Places{3, 2}));
}

TEST(Moldable, Walltime_IsReadAndDefaulted) {
  EXPECT_EQ(parse_moldable("/core=1,walltime=2:70:99")->walltime, 11499);
  EXPECT_EQ(parse_moldable("/core=1,walltime=1")->walltime, 3600);
  EXPECT_EQ(parse_moldable("/core=1")->walltime, kDefaultWalltime);
  EXPECT_EQ(wanted_resources(*parse_moldable("walltime=0:1:0")), "-l \"{type = 'default'}/core=1,walltime=0:1:0\" ");
  EXPECT_EQ(wanted_resources(*parse_moldable("{mem>8}nodes=1")), "-l \"{(mem>8) AND type = 'default'}/network_address=1,walltime=2:0:0\" ");
}

TEST(Moldable, Mistakes_AreOfTheSyntaxOrOfTheResources) {
  EXPECT_EQ(parse_moldable("core=;;").error().kind, RequestError::Kind::unrecognized_description);
  EXPECT_EQ(parse_moldable("core=;;").error().message, "core=;;");
  EXPECT_EQ(parse_moldable("/core=1,walltime=abc").error().kind, RequestError::Kind::unrecognized_part);
  EXPECT_EQ(parse_moldable("/core=1,walltime=abc").error().message, "walltime=abc");
  EXPECT_EQ(parse_moldable("/nosuchproperty=1").error().kind, RequestError::Kind::resource);
}

RC_GTEST_PROP(Placement, AnyFit_UsesOnlyFreeResources_EachOnce, ()) {
  const auto nodes = *rc::gen::inRange(1, 3);
  const auto cores = *rc::gen::inRange(1, 5);
  const auto busy = *rc::gen::container<std::set<int>>(rc::gen::inRange(0, 8));
  const auto got = placed("/nodes=" + std::to_string(nodes) + "/core=" + std::to_string(cores), {busy.begin(), busy.end()});
  if (!got) return;
  RC_ASSERT(got->size() == static_cast<std::size_t>(nodes * cores));
  RC_ASSERT(std::set<int>(got->begin(), got->end()).size() == got->size());
  for (const int place : *got) RC_ASSERT(!busy.contains(place));
}

TEST(Placement, GivesReservedNodesToNoBestEffortJob_AndLicencesOnlyToWhoAsksForThem) {
  const auto resources = make_resources({.name = "alpha", .nodes = 2, .cores = 4, .mem = 16, .reserved_nodes = 1, .licences = 3});
  const auto count = [&](std::string_view text, bool best_effort) {
    Choice choice{resources, std::vector<bool>(resources.size(), true), {}};
    if (best_effort) keep_best_effort(choice);
    const auto places = place(parse_moldable(text).value(), {}, choice);
    return places ? places->size() : 0;
  };
  EXPECT_EQ(count("/core=4", true), 4U);
  EXPECT_EQ(count("/core=5", true), 0U);
  EXPECT_EQ(count("/core=8", false), 8U);
  EXPECT_EQ(count("/core=9", false), 0U);
  EXPECT_EQ(count("{type = 'licence'}/licence=3", true), 3U);
  EXPECT_EQ(count("{type = 'licence'}/licence=4", true), 0U);
}

}  // namespace
}  // namespace gleaner::minioar
