#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fmt/format.h>
#include <rapidjson/document.h>

#include "tests/system/grid_under_test.hpp"

/// The forecasts of gridsub, against what then happens.
namespace gleaner::tests {
namespace {

using ::testing::HasSubstr;

class WhatIf : public ::testing::Test {
 protected:
  void SetUp() override { grid.start_api(); }
  std::string a_jdl(std::int64_t tasks, int seconds) {
    return grid.jdl_of({.tasks = tasks, .exec_file = grid.oracle().task(fmt::format("sleep {}", seconds))});
  }
  double seconds_until_the_end(grid::CampaignId campaign, double asked_at) {
    return std::stod(grid.value(fmt::format("SELECT extract(epoch FROM ended_at) FROM campaigns WHERE id = {}", campaign.value()))) -
           asked_at;
  }
  double now() { return std::stod(grid.value("SELECT extract(epoch FROM clock_timestamp())")); }
  GridUnderTest grid;
};

TEST_F(WhatIf, ForecastsTheEndsOfTwoCampaigns_AndTheyEndThen) {
  grid.almighty().start();
  // The command becomes known, so that the next ones are simulated with its durations.
  const auto trial = grid.gridsub(a_jdl(8, 4));
  ASSERT_TRUE(grid.terminates(trial));
  const auto first = grid.gridsub(a_jdl(60, 4));
  const auto second = grid.gridsub(a_jdl(40, 4));
  ASSERT_TRUE(grid.becomes(fmt::format("SELECT done > 0 FROM campaigns WHERE id = {}", first.value()), "t"));
  const double asked_at = now();
  const auto shown = grid.run("gridsub", {"--what-if", "--details"});
  ASSERT_TRUE(shown.end.succeeded()) << shown.output;
  rapidjson::Document answer;
  ASSERT_FALSE(answer.Parse(shown.output.c_str()).HasParseError()) << shown.output;
  ASSERT_EQ(answer["campaigns"].Size(), 2U) << shown.output;
  ASSERT_TRUE(grid.terminates(first));
  ASSERT_TRUE(grid.terminates(second));
  const std::vector<grid::CampaignId> campaigns{first, second};
  for (rapidjson::SizeType i = 0; i < 2; ++i) {
    const auto& one = answer["campaigns"][i];
    ASSERT_TRUE(one["ends_in"].IsObject()) << shown.output;
    const double really = seconds_until_the_end(campaigns[i], asked_at);
    // The interval, widened by half its expected length and what a loaded machine may lose.
    const double slack = 0.5 * one["ends_in"]["expected"].GetDouble() + 20;
    EXPECT_GE(really, one["ends_in"]["earliest"].GetDouble() - slack) << shown.output;
    EXPECT_LE(really, one["ends_in"]["latest"].GetDouble() + slack) << shown.output;
  }
}

TEST_F(WhatIf, WithoutACampaign_ReportsThat_AndStoresNothing) {
  grid.almighty().start();
  ASSERT_TRUE(grid.becomes("SELECT count(DISTINCT cluster_id) >= 2 FROM gridstatus WHERE reachable", "t"));
  const auto nothing = grid.run("gridsub", {"--what-if"});
  EXPECT_TRUE(nothing.end.succeeded()) << nothing.output;
  EXPECT_THAT(nothing.output, HasSubstr("No campaign is in treatment"));
  EXPECT_THAT(nothing.output, HasSubstr("local users"));
  const auto one = grid.run("gridsub", {"--what-if", "-j", a_jdl(20, 1)});
  EXPECT_TRUE(one.end.succeeded()) << one.output;
  EXPECT_THAT(one.output, HasSubstr("new"));
  const auto changed = grid.run("gridsub", {"--what-if", "-j", a_jdl(20, 1), "clusters_off=beta"});
  EXPECT_TRUE(changed.end.succeeded()) << changed.output;
  EXPECT_THAT(changed.output, testing::AllOf(HasSubstr("With the change"), HasSubstr("beta would get no further job")));
  EXPECT_THAT(grid.run("gridsub", {"--what-if", "clusters_off=bta"}).output, HasSubstr("there is no cluster 'bta' (did you mean 'beta'?)"));
  EXPECT_THAT(grid.run("gridsub", {"--what-if", "-j", a_jdl(20, 1), "--budget", "5s", "clusters_off=beta"}).output,
              HasSubstr("--budget and the change 'clusters_off=beta' exclude each other"));
  const auto checked = grid.run("gridsub", {"--dry-run", "-j", a_jdl(20, 1)});
  EXPECT_THAT(checked.output, HasSubstr("It would start "));
  EXPECT_EQ(grid.number("SELECT count(*) FROM campaigns"), 0);
}

TEST_F(WhatIf, WrongCommands_GetAnErrorThatNamesTheMistake) {
  for (const auto* option : {"--hold", "--resume", "--retry", "--fix"}) {
    const auto both = grid.run("gridsub", {"--what-if", option, "1"});
    EXPECT_FALSE(both.end.succeeded());
    EXPECT_THAT(both.output, HasSubstr("exclude each other"));
  }
  const auto bad = grid.run("gridsub", {"--what-if", "-j", "{\"name\": 7}"});
  EXPECT_FALSE(bad.end.succeeded());
  EXPECT_THAT(bad.output, HasSubstr("clusters"));
  const auto unasked = grid.run("gridsub", {"--what-if"});
  EXPECT_FALSE(unasked.end.succeeded());
  EXPECT_THAT(unasked.output, HasSubstr("alpha is not reached yet"));
}

}  // namespace
}  // namespace gleaner::tests
