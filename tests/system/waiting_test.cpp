// gridwait waits on the stream of changes.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include <fmt/format.h>

#include "tests/system/grid_under_test.hpp"

namespace gleaner::tests {
namespace {

/// Connections that the API has at its socket.
int connections_of(const std::filesystem::path& socket) {
  constexpr int kColumnOfState = 5;
  int count = 0;
  std::ifstream table{"/proc/net/unix"};
  for (std::string line; std::getline(table, line);) {
    if (!line.ends_with(" " + socket.string())) continue;
    std::istringstream columns{line};
    std::string state;
    for (int column = 0; column <= kColumnOfState; ++column) columns >> state;
    count += state == "03" ? 1 : 0;
  }
  return count;
}

TEST(Waiting, EndIsSeenOnTheStream_WithoutAnotherLook_AlsoWhenTheApiWasRestartedMeanwhile) {
  GridUnderTest grid;
  grid.start_api();
  grid.almighty().start();
  const auto campaign = grid.gridsub(grid.jdl_of({.tasks = 3, .exec_file = grid.oracle().gated_task()}));
  // A look an hour: without the stream the test would not end.
  auto waiter = grid.background("gridwait", {std::to_string(campaign.value()), "--period", "1h"});
  waiter.start();
  // The connection of its first look, and that of the stream, which it opens afterwards.
  ASSERT_TRUE(await([&] { return connections_of(grid.folder() / "api.socket") >= 2; }));
  ASSERT_TRUE(waiter.is_running());
  grid.api().kill();
  grid.start_api();
  ASSERT_TRUE(grid.becomes(fmt::format("SELECT running FROM campaigns WHERE id = {}", campaign.value()), "3"));
  EXPECT_TRUE(waiter.is_running());
  grid.oracle().open_gate();
  ASSERT_TRUE(grid.terminates(campaign));
  EXPECT_TRUE(await([&] { return !waiter.is_running(); }));
  EXPECT_NE(tail_of(waiter.log(), 3).find("is terminated: 3 of 3 tasks done"), std::string::npos) << tail_of(waiter.log(), 9);
}

TEST(Waiting, ForWhatCannotEnd_EndsWithALineAndAStatus_AndForWhatAUserPausedItGoesOn) {
  GridUnderTest grid;
  grid.start_api();
  grid.almighty().start();
  const auto gated = grid.gridsub(grid.jdl_of({.tasks = 1, .exec_file = grid.oracle().gated_task()}));
  const auto after =
      grid.gridsub(fmt::format(R"({{"name":"b","nb_jobs":1,"exec_file":"true","after":{},"clusters":{{"alpha":{{}}}}}})", gated.value()));
  const auto failing = grid.gridsub(R"({"name":"c","nb_jobs":3,"exec_file":"false","max_fails":0,"max_jobs":1,"clusters":{"beta":{}}})");
  const auto held = grid.gridsub(
      fmt::format(R"({{"name":"d","nb_jobs":1,"exec_file":"true","after_any_end":{},"clusters":{{"alpha":{{}}}}}})", failing.value()));
  const auto text = [](grid::CampaignId id) { return std::to_string(id.value()); };
  ASSERT_TRUE(grid.run("gridsub", {"--hold", text(held)}).end.succeeded());
  EXPECT_EQ(grid.run("gridwait", {"--timeout", "1s", text(after)}).end.exit_status, 75) << "the other one may be done";
  const auto cancelled = grid.run("griddel", {text(gated)});
  EXPECT_NE(cancelled.output.find("campaign " + text(after) + " waits for it, and cannot end any more"), std::string::npos)
      << cancelled.output;
  const auto said = grid.run("gridwait", {text(after)});
  EXPECT_EQ(said.end.exit_status, 4) << said.output;
  EXPECT_NE(said.output.find("campaign " + text(after) + " cannot end: it waits for campaign " + text(gated) + ", which was cancelled"),
            std::string::npos)
      << said.output;
  const auto paused = grid.run("gridwait", {text(failing), text(after)});
  EXPECT_EQ(paused.end.exit_status, 4) << paused.output;
  EXPECT_NE(paused.output.find("max_fails allows, which paused it: 'gridsub --resume " + text(failing) + "'"), std::string::npos)
      << paused.output;
  EXPECT_EQ(grid.run("gridwait", {"--timeout", "1s", text(after), text(held)}).end.exit_status, 75);
  grid.oracle().open_gate();
}

TEST(Waiting, ForACampaignWhoseClusterIsDisabled_ReportsThatOnce_AndGoesOnWhenItIsEnabled) {
  GridUnderTest grid;
  grid.start_api();
  const auto campaign = grid.gridsub(R"({"name":"a","nb_jobs":3,"exec_file":"true","clusters":{"beta":{}}})");
  const auto id = std::to_string(campaign.value());
  ASSERT_TRUE(grid.run("gridctl", {"cluster", "disable", "beta"}).end.succeeded());
  const auto said = grid.run("gridwait", {"--timeout", "3s", id});
  EXPECT_EQ(said.end.exit_status, 75) << said.output;
  const auto line = "campaign " + id + " waits: none of its clusters takes its tasks: beta is disabled";
  ASSERT_NE(said.output.find(line), std::string::npos) << said.output;
  EXPECT_EQ(said.output.find(line, said.output.find(line) + 1), std::string::npos) << said.output;
  const auto why = grid.run("gridstat", {id, "--why"});
  EXPECT_NE(why.output.find("It waits until this changes: none of its clusters takes its tasks"), std::string::npos) << why.output;
  ASSERT_TRUE(grid.run("gridctl", {"cluster", "enable", "beta"}).end.succeeded());
  const auto goes_on = grid.run("gridwait", {"--timeout", "1s", id});
  EXPECT_EQ(goes_on.end.exit_status, 75);
  EXPECT_EQ(goes_on.output.find("waits:"), std::string::npos) << goes_on.output;
}

TEST(Waiting, ForACampaignWhoseClusterIsRetired_EndsWithALineAndAStatus_AsWhyStatesIt) {
  GridUnderTest grid;
  grid.start_api();
  const auto campaign = grid.gridsub(R"({"name":"a","nb_jobs":3,"exec_file":"true","clusters":{"beta":{}}})");
  const auto id = std::to_string(campaign.value());
  ASSERT_TRUE(grid.run("gridctl", {"cluster", "retire", "beta", "--yes"}).end.succeeded());
  const auto said = grid.run("gridwait", {id});
  EXPECT_EQ(said.end.exit_status, 4) << said.output;
  EXPECT_NE(said.output.find("campaign " + id + " cannot end: none of its clusters takes its tasks: beta is retired"), std::string::npos)
      << said.output;
  const auto why = grid.run("gridstat", {id, "--why"});
  EXPECT_NE(why.output.find("It cannot end unless somebody acts: none of its clusters takes its tasks"), std::string::npos) << why.output;
}

}  // namespace
}  // namespace gleaner::tests
