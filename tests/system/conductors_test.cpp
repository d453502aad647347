#include <gtest/gtest.h>

#include <fmt/format.h>

#include <regex>
#include <string>

#include "tests/system/grid_under_test.hpp"

/// The conductor of the grid.
namespace gleaner::tests {
namespace {

bool stands_by(const Service& almighty) { return tail_of(almighty.log(), 100).find("standing by") != std::string::npos; }

TEST(AlmightyOnce, CalledAgainAndAgain_BringsACampaignToItsEnd_ACycleACall) {
  GridUnderTest grid;
  const auto campaign = grid.submit({.tasks = 40, .exec_file = grid.oracle().task()});
  int calls = 0;
  ASSERT_TRUE(await([&] {
    ++calls;
    const auto said = grid.run("almighty", {"--once"});
    EXPECT_TRUE(said.end.succeeded()) << said.output;
    return grid.value("SELECT state FROM campaigns") == "terminated";
  }));
  EXPECT_TRUE(grid.is_exactly_done(campaign, 40));
  EXPECT_EQ(grid.number("SELECT count(*) FROM cycles"), calls);
}

TEST(AlmightyOnce, WhileAnotherConducts_LeavesTheWorkToIt) {
  GridUnderTest grid;
  grid.almighty().start();
  ASSERT_TRUE(grid.becomes("SELECT count(*) > 0 FROM cycles", "t"));
  const auto said = grid.run("almighty", {"--once"});
  EXPECT_EQ(said.end.exit_status, 75) << said.output;
  const auto cycles = grid.number("SELECT count(*) FROM cycles");
  EXPECT_TRUE(grid.becomes(fmt::format("SELECT count(*) > {} FROM cycles", cycles), "t")) << "the other one goes on";
  EXPECT_EQ(grid.value("SELECT count(DISTINCT term) FROM cycles"), "1");
}

TEST(Almighty, ThatHasBeenGoneForLong_IsMissedByEverybody) {
  GridUnderTest grid;
  grid.start_api();
  grid.almighty().start();
  const auto campaign = grid.submit({.tasks = 400, .exec_file = grid.oracle().task("sleep 60")});
  ASSERT_TRUE(grid.becomes("SELECT count(*) > 0 FROM campaign_forecasts WHERE end_at IS NOT NULL", "t"));
  const auto id = std::to_string(campaign.value());
  EXPECT_EQ(grid.run("gridstat", {id}).output.find("stands still"), std::string::npos);
  grid.almighty().stop();
  grid.execute("UPDATE cycles SET started_at = started_at - interval '2 hours', ended_at = ended_at - interval '2 hours'");
  for (const auto& [program, arguments] : std::vector<std::pair<std::string, std::vector<std::string>>>{
           {"gridstat", {}}, {"gridstat", {id}}, {"gridstat", {id, "--why"}}, {"gridclusters", {}}}) {
    const auto said = grid.run(program, arguments);
    EXPECT_TRUE(said.end.succeeded());
    EXPECT_NE(said.output.find("WARNING: the grid stands still: no cycle has ended since"), std::string::npos) << said.output;
    EXPECT_NE(said.output.find("(2 h "), std::string::npos) << said.output;
  }
  EXPECT_EQ(grid.run("gridstat", {id}).output.find("End at"), std::string::npos) << "a forecast does not count down";
  EXPECT_NE(grid.run("gridwait", {"--timeout", "1s", id}).output.find("the grid stands still"), std::string::npos);
}

TEST(Almighty, ThatWasKilled_IsMissedByHealthAndCheck_WhichSaySinceWhen_AndWhatToDo) {
  GridUnderTest grid{{.configuration = {{"lease_duration", "3s"}}}};
  grid.start_api();
  grid.almighty().start();
  ASSERT_TRUE(grid.becomes("SELECT count(*) > 0 FROM cycles WHERE ended_at IS NOT NULL", "t"));
  grid.almighty().kill();
  std::string said;
  ASSERT_TRUE(await([&] {
    said = std::regex_replace(grid.run("gridctl", {"check", "--as", "alice"}).output, std::regex{R"(\n {8,})"}, " ");
    return said.find("let its lease run out") != std::string::npos;
  })) << said;
  EXPECT_NE(said.find("wrong conductor: almighty "), std::string::npos) << said;
  EXPECT_NE(said.find(" since "), std::string::npos) << said;
  EXPECT_NE(said.find("'systemctl start gleaner-almighty'"), std::string::npos) << said;
  EXPECT_NE(grid.run("gridstat", {}).output.find("WARNING: the grid stands still"), std::string::npos);
  EXPECT_EQ(grid.value("SELECT now() - max(ended_at) < interval '1 minute' FROM cycles"), "t");
}

TEST(SecondAlmighty, StandsBy_AndTakesOverWhenTheFirstIsKilled) {
  GridUnderTest grid{{.configuration = {{"lease_duration", "3s"}}}};
  grid.almighty().start();
  const auto campaign = grid.submit({.tasks = 100, .exec_file = grid.oracle().task("sleep 0.5")});
  ASSERT_TRUE(grid.becomes("SELECT done > 0 FROM campaigns", "t"));
  grid.standby().start();
  ASSERT_TRUE(await([&] { return stands_by(grid.standby()); }));
  ASSERT_EQ(grid.value("SELECT count(DISTINCT term) FROM cycles"), "1");
  grid.almighty().kill();
  ASSERT_TRUE(grid.terminates(campaign));
  EXPECT_TRUE(grid.is_exactly_done(campaign, 100));
  EXPECT_EQ(grid.value("SELECT count(DISTINCT term) FROM cycles"), "2");
}

TEST(SecondAlmighty, TakesOverAtOnceFromOneThatStopsCleanly) {
  GridUnderTest grid{{.configuration = {{"lease_duration", "1h"}, {"idle_period", "300ms"}}}};
  grid.almighty().start();
  const auto campaign = grid.submit({.tasks = 100, .exec_file = grid.oracle().task("sleep 0.5")});
  ASSERT_TRUE(grid.becomes("SELECT done > 0 FROM campaigns", "t"));
  grid.standby().start();
  ASSERT_TRUE(await([&] { return stands_by(grid.standby()); }));
  ASSERT_EQ(grid.value("SELECT count(DISTINCT term) FROM cycles"), "1");
  EXPECT_TRUE(grid.almighty().stop().succeeded());
  ASSERT_TRUE(grid.becomes("SELECT count(DISTINCT term) FROM cycles", "2")) << "the other one conducts";
  ASSERT_TRUE(grid.terminates(campaign));
  EXPECT_TRUE(grid.is_exactly_done(campaign, 100));
  EXPECT_EQ(grid.value("SELECT max(term) = (SELECT term FROM lease) FROM cycles"), "t");
}

}  // namespace
}  // namespace gleaner::tests
