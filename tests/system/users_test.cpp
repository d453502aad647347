#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <algorithm>
#include <fstream>

#include "tests/system/grid_under_test.hpp"

/// Actions of users, by the commands, over the API.
namespace gleaner::tests {
namespace {

using ::testing::HasSubstr;

std::string text_of(grid::CampaignId campaign) { return std::to_string(campaign.value()); }

class User : public ::testing::Test {
 protected:
  void SetUp() override {
    grid.start_api();
    grid.almighty().start();
  }
  std::string of(grid::CampaignId campaign, const std::string& column) {
    return fmt::format("SELECT {} FROM campaigns WHERE id = {}", column, campaign.value());
  }
  int remote_jobs() {
    int all = 0;
    for (const auto* name : {"alpha", "beta"}) all += grid.cluster(name).jobs_in("Waiting,Hold,toLaunch,Launching,Running,Finishing");
    return all;
  }
  GridUnderTest grid;
};

TEST_F(User, SubmitsACampaign_WaitsForItsEnd_AndSeesItDone) {
  const auto campaign = grid.gridsub(grid.jdl_of({.tasks = 40, .exec_file = grid.oracle().task()}));
  const auto waited = grid.run("gridwait", {text_of(campaign)});
  EXPECT_TRUE(waited.end.succeeded()) << waited.end.text() << waited.output;
  EXPECT_TRUE(grid.is_exactly_done(campaign, 40));
  const auto shown = grid.run("gridstat", {"--json", text_of(campaign)});
  EXPECT_TRUE(shown.end.succeeded()) << shown.output;
  EXPECT_THAT(shown.output, HasSubstr("terminated"));
}

TEST_F(User, WhosTestCampaignComesBehindTenThousandTasks_GetsAJobOnEachClusterInTheNextCycle) {
  const auto crowd = grid.gridsub(grid.jdl_of({.tasks = 10'000, .exec_file = grid.oracle().task("sleep 5")}));
  ASSERT_TRUE(grid.becomes(of(crowd, "running >= 16"), "t"));
  const auto trial = grid.gridsub(grid.jdl_of({.tasks = 2, .exec_file = grid.oracle().task()}), {"--type", "test"});
  ASSERT_TRUE(grid.becomes(fmt::format("SELECT count(*) FROM jobs WHERE campaign_id = {}", trial.value()), "2"));
  EXPECT_EQ(grid.value(fmt::format("SELECT count(DISTINCT cluster_id) FROM jobs WHERE campaign_id = {}", trial.value())), "2");
  EXPECT_LE(grid.number(fmt::format("SELECT count(*) FROM cycles y, campaigns c WHERE c.id = {0} AND y.started_at > c.submitted_at "
                                    "AND y.started_at < (SELECT max(planned_at) FROM launches WHERE campaign_id = {0})",
                                    trial.value())),
            1);
  EXPECT_TRUE(grid.terminates(trial));
  EXPECT_TRUE(grid.is_exactly_done(trial, 2));
}

TEST_F(User, CancelsACampaign_NothingOfItIsLeftOnTheClusters) {
  const auto campaign = grid.gridsub(grid.jdl_of({.tasks = 100, .exec_file = grid.oracle().gated_task()}));
  ASSERT_TRUE(grid.becomes(of(campaign, "running"), "16"));
  EXPECT_TRUE(grid.run("griddel", {text_of(campaign)}).end.succeeded());
  EXPECT_TRUE(grid.becomes(of(campaign, "state || ' ' || cancelled"), "cancelled 100"));
  EXPECT_TRUE(await([&] { return remote_jobs() == 0; }));
  EXPECT_TRUE(grid.oracle().executions(campaign).empty());
  EXPECT_TRUE(grid.is_consistent());
}

TEST_F(User, HoldsACampaign_NothingNewStartsUntilItIsResumed) {
  const auto campaign = grid.gridsub(grid.jdl_of({.tasks = 80, .exec_file = grid.oracle().task("sleep 0.5")}));
  ASSERT_TRUE(grid.becomes(of(campaign, "done >= 5"), "t"));
  EXPECT_TRUE(grid.run("gridsub", {"--hold", text_of(campaign)}).end.succeeded());
  ASSERT_TRUE(grid.becomes(of(campaign, "state || ' ' || launching + submitted + running"), "paused 0"));
  const auto done = grid.value(of(campaign, "done"));
  const auto cycles = grid.number("SELECT count(*) FROM cycles WHERE ended_at IS NOT NULL");
  ASSERT_TRUE(grid.becomes(fmt::format("SELECT count(*) >= {} FROM cycles WHERE ended_at IS NOT NULL", cycles + 3), "t"));
  EXPECT_EQ(grid.value(of(campaign, "done")), done);
  EXPECT_EQ(remote_jobs(), 0);
  EXPECT_TRUE(grid.run("gridsub", {"--resume", text_of(campaign)}).end.succeeded());
  ASSERT_TRUE(grid.terminates(campaign));
  EXPECT_TRUE(grid.is_exactly_done(campaign, 80));
}

TEST_F(User, HoldsSomeTasks_TheOthersAreDone_AndTheCampaignEndsAfterTheirRelease) {
  const auto campaign = grid.gridsub(grid.jdl_of({.tasks = 40, .exec_file = grid.oracle().task("sleep 0.2")}));
  const auto hold = grid.run("gridsub", {"--hold", text_of(campaign), "--task", "30-*"});
  EXPECT_TRUE(hold.end.succeeded()) << hold.errors;
  EXPECT_EQ(hold.output, fmt::format("Campaign {}: 10 tasks held\n", campaign.value()));
  ASSERT_TRUE(
      grid.becomes(of(campaign, "state || ' ' || done || ' ' || held || ' ' || launching + submitted + running"), "in_treatment 30 10 0"));
  EXPECT_THAT(grid.run("gridstat", {text_of(campaign)}).output, testing::HasSubstr("10 (10 held)"));
  EXPECT_EQ(grid.run("gridstat", {text_of(campaign), "--state", "held", "-q"}).output, "30\n31\n32\n33\n34\n35\n36\n37\n38\n39\n");
  ASSERT_TRUE(
      grid.becomes(fmt::format("SELECT reason FROM decisions WHERE campaign_id = {} AND cluster_id = 0", campaign.value()), "tasks_held"));
  EXPECT_THAT(grid.run("gridstat", {text_of(campaign), "--why"}).output, testing::HasSubstr("the 10 tasks that wait are held"));
  EXPECT_TRUE(grid.run("griddel", {"--resume", text_of(campaign), "--task", "0-*"}).end.succeeded());
  ASSERT_TRUE(grid.terminates(campaign));
  EXPECT_TRUE(grid.is_exactly_done(campaign, 40));
}

TEST_F(User, LimitsItsJobsOnACluster_ThereAreNeverMore) {
  const auto campaign =
      grid.gridsub(grid.jdl_of({.tasks = 20, .exec_file = grid.oracle().task("sleep 0.5"), .clusters = {"alpha"}, .max_jobs = 3}));
  std::int64_t most = 0;
  ASSERT_TRUE(await([&] {
    most = std::max(most, grid.number("SELECT launching + waiting + running + unknown FROM campaign_clusters"));
    return grid.value(of(campaign, "state")) == "terminated";
  }));
  EXPECT_EQ(most, 3);
  EXPECT_TRUE(grid.is_exactly_done(campaign, 20));
}

TEST_F(User, WhosClusterIsDisabled_GetsNothingThere_UntilItIsEnabled) {
  EXPECT_TRUE(grid.run("gridctl", {"cluster", "disable", "alpha"}).end.succeeded());
  const auto campaign = grid.gridsub(grid.jdl_of({.tasks = 20, .exec_file = grid.oracle().task()}));
  ASSERT_TRUE(grid.terminates(campaign));
  EXPECT_EQ(grid.value("SELECT string_agg(DISTINCT k.name, ' ') FROM jobs j JOIN clusters k ON k.id = j.cluster_id"), "beta");
  EXPECT_TRUE(grid.run("gridctl", {"cluster", "enable", "alpha"}).end.succeeded());
  const auto next = grid.gridsub(grid.jdl_of({.tasks = 20, .exec_file = grid.oracle().task()}));
  ASSERT_TRUE(grid.terminates(next));
  EXPECT_EQ(grid.value("SELECT count(DISTINCT cluster_id) FROM jobs"), "2");
}

TEST_F(User, GivesHostileArguments_EachReachesTheCommandByteForByte) {
  const auto file = grid.oracle().folder() / "arguments";
  const auto jdl = fmt::format(
      R"jdl({{"name":"hostile","exec_file":"bash -c 'echo $(printf %s\\\\0 \"$@\" | base64 -w0) >> {}' task","walltime":"0:1:0",)jdl"
      R"jdl("params":[["a b","\"'`$HOME;*#"],["","é\n\\\t|&"],["-n","--","$(id)"]],"clusters":{{"alpha":{{}},"beta":{{}}}}}})jdl",
      file.string());
  const auto campaign = grid.gridsub(jdl);
  ASSERT_TRUE(grid.terminates(campaign));
  std::vector<std::string> lines;
  std::ifstream input{file};
  for (std::string line; std::getline(input, line);) lines.push_back(line);
  EXPECT_THAT(lines, ::testing::UnorderedElementsAre("YSBiACInYCRIT01FOyojAA==", "AMOpClwJfCYA", "LW4ALS0AJChpZCkA"));
}

TEST_F(User, WhosCampaignEnded_FindsNothingOfTheGridInTheHomes) {
  const auto campaign = grid.gridsub(grid.jdl_of({.tasks = 20, .exec_file = grid.oracle().task()}));
  ASSERT_TRUE(grid.terminates(campaign));
  EXPECT_TRUE(grid.becomes("SELECT count(*) FROM campaign_clusters WHERE cleaned_at IS NULL", "0"));
  const auto token = grid.value("SELECT token FROM grid");
  for (const auto* name : {"alpha", "beta"})
    EXPECT_FALSE(std::filesystem::exists(grid.cluster(name).home("alice") / ".gleaner" / token / text_of(campaign))) << name;
}

}  // namespace
}  // namespace gleaner::tests
