#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <filesystem>
#include <set>

#include "lib/process/child.hpp"
#include "tests/db/postgres.hpp"
#include "tests/system/grid_under_test.hpp"

/// The day on which a grid changes over from CiGri, with its database and our programs.
namespace gleaner::tests {
namespace {

/// A database like CiGri's, with one campaign in treatment: of its tasks 0 to 7, 0 and 1 are done.
std::string cigri_with(const std::string& user, const std::string& jdl) {
  auto& postgres = PrivatePostgres::instance();
  auto conninfo = postgres.cigri_database();
  postgres.run_alone(
      conninfo, fmt::format("INSERT INTO campaigns (id, grid_user, state, name, submission_time, jdl)"
                            " VALUES (41, $user${}$user$, 'in_treatment', 'test', now(), $jdl${}$jdl$);"
                            "INSERT INTO parameters (id, campaign_id, name, param) SELECT 100 + n, 41, n, n FROM generate_series(0, 7) n;"
                            "INSERT INTO jobs (campaign_id, param_id, state) VALUES (41, 100, 'terminated'), (41, 101, 'terminated');"
                            "INSERT INTO bag_of_tasks (campaign_id, param_id) SELECT 41, 100 + n FROM generate_series(2, 7) n",
                            user, jdl));
  return conninfo;
}

TEST(Import, CampaignOfCigris_WaitsUntilItIsResumed_ThenRunsToItsEnd_EachTaskOnce) {
  GridUnderTest grid;
  grid.start_api();
  grid.almighty().start();
  const auto* const user = "alice";
  const auto cigri = cigri_with(user, GridUnderTest::jdl_of({.tasks = 8, .exec_file = grid.oracle().task("true")}));
  const std::vector<std::string> words{"import", "cigri", "--from", cigri, "--yes"};
  const auto said = grid.run("gridctl", words);
  ASSERT_TRUE(said.end.succeeded()) << said.output;
  const grid::CampaignId campaign{1};
  EXPECT_THAT(said.output, ::testing::HasSubstr("gridsub --resume 1"));
  EXPECT_EQ(grid.value("SELECT state || ' ' || total || ' ' || user_name FROM campaigns"), "paused 6 alice");
  ASSERT_TRUE(grid.run("gridctl", words).end.succeeded()) << "again";
  ASSERT_TRUE(grid.run("gridsub", {"--resume", "1"}).end.succeeded());
  ASSERT_TRUE(grid.terminates(campaign));
  EXPECT_EQ(grid.value("SELECT done FROM campaigns"), "6");
  EXPECT_EQ(grid.oracle().executions(campaign).size(), 6U);
  EXPECT_TRUE(grid.is_consistent());
}

/// CiGri stores `{HOME}/{CAMPAIGN_ID}` as `\$HOME/\$CIGRI_CAMPAIGN_ID`: its oarsub passes the command through one more shell.
TEST(Import, ACommandThatCigriStoredForOarsubsShell_MakesTheFolderThatItNames) {
  GridUnderTest grid;
  grid.start_api();
  grid.almighty().start();
  const std::string command = R"(mkdir -p \$HOME/\$CIGRI_CAMPAIGN_ID && cd {HOME}/{CAMPAIGN_ID} && touch)";
  const auto cigri = cigri_with("alice", GridUnderTest::jdl_of({.tasks = 8, .exec_file = command}));
  const auto said = grid.run("gridctl", {"import", "cigri", "--from", cigri, "--yes", "--json"});
  ASSERT_TRUE(said.end.succeeded()) << said.output;
  EXPECT_THAT(said.output, ::testing::HasSubstr(R"(exec_file: \\$HOME is read as $HOME, as in CiGri)"));
  ASSERT_TRUE(grid.run("gridsub", {"--resume", "1"}).end.succeeded());
  ASSERT_TRUE(grid.terminates(grid::CampaignId{1}));
  std::set<std::string> made;
  for (const auto* const cluster : {"alpha", "beta"}) {
    const auto home = grid.cluster(cluster).home("alice");
    EXPECT_FALSE(std::filesystem::exists(home / "$HOME"));
    if (!std::filesystem::exists(home / "1")) continue;
    for (const auto& entry : std::filesystem::directory_iterator{home / "1"}) made.insert(entry.path().filename());
  }
  EXPECT_THAT(made, ::testing::ElementsAre("2", "3", "4", "5", "6", "7"));
}

}  // namespace
}  // namespace gleaner::tests
