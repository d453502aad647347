#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <fstream>

#include "tests/system/grid_under_test.hpp"

/// Campaigns that are changed after their submission, by the commands.
namespace gleaner::tests {
namespace {

using ::testing::AllOf;
using ::testing::Ge;
using ::testing::HasSubstr;
using ::testing::Le;
using ::testing::Not;

class Changed : public ::testing::Test {
 protected:
  void SetUp() override {
    grid.start_api();
    grid.almighty().start();
  }
  std::string of(grid::CampaignId campaign, const std::string& column) {
    return fmt::format("SELECT {} FROM campaigns WHERE id = {}", column, campaign.value());
  }
  process::Captured gridsub(std::vector<std::string> arguments) { return grid.run("gridsub", std::move(arguments)); }
  GridUnderTest grid;
};

TEST_F(Changed, TasksAreAppendedInEachWay_WhileItRuns_WhileItIsPaused_AndAfterItsEnd_EachRunsOnce) {
  const auto campaign = grid.gridsub(grid.jdl_of({.tasks = 60, .exec_file = grid.oracle().task("sleep 0.2")}));
  const auto id = std::to_string(campaign.value());
  ASSERT_TRUE(grid.becomes(of(campaign, "done >= 5"), "t"));
  const auto numbered = gridsub({"-c", id, "-n", "20"});
  EXPECT_TRUE(numbered.end.succeeded()) << numbered.output;
  EXPECT_THAT(numbered.output, AllOf(HasSubstr("Jobs successfully added to campaign " + id + ": 20 tasks, numbers 60 to 79"),
                                     HasSubstr("CAMPAIGN_ID=" + id)));
  const auto parameters = grid.folder() / "parameters";
  std::ofstream{parameters} << "80\n# a comment\n81\n";
  EXPECT_TRUE(gridsub({"-c", id, "-p", parameters.string()}).end.succeeded());
  EXPECT_TRUE(gridsub({"--hold", id}).end.succeeded());
  const auto array = grid.folder() / "array.json";
  std::ofstream{array} << "[\"82\", [83]]";
  EXPECT_TRUE(gridsub({"-c", id, "-F", array.string()}).end.succeeded());
  EXPECT_EQ(grid.value(of(campaign, "state || ' ' || total")), "paused 84");
  EXPECT_TRUE(gridsub({"--resume", id}).end.succeeded());
  ASSERT_TRUE(grid.terminates(campaign));
  const auto last = gridsub({"-c", id, "-J", "[\"84\"]", "--wait"});
  EXPECT_TRUE(last.end.succeeded()) << last.output;
  EXPECT_TRUE(grid.is_exactly_done(campaign, 85));
  EXPECT_TRUE(grid.is_consistent());
  EXPECT_THAT(grid.run("gridstat", {id}).output, AllOf(HasSubstr("20 tasks appended (60 to 79)"), HasSubstr("1 task appended (84 to 84)")));
}

TEST_F(Changed, TasksOfExpressionsAreAppended_AndRun) {
  const auto campaign = grid.gridsub(
      grid.jdl_of({.tasks = 2, .exec_file = grid.oracle().task(), .resources = "/core=(1+p1-p1)", .walltime = "10*minute + p1*minute"}));
  const auto id = std::to_string(campaign.value());
  const auto said = gridsub({"-c", id, "-J", R"(["2", "3", "4"])"});
  EXPECT_TRUE(said.end.succeeded()) << said.output;
  ASSERT_TRUE(grid.terminates(campaign));
  EXPECT_TRUE(grid.is_exactly_done(campaign, 5));
  EXPECT_TRUE(grid.is_consistent());
}

TEST_F(Changed, WrongAppends_AreRefusedByTheirKind) {
  const auto campaign = grid.gridsub(grid.jdl_of({.tasks = 2, .exec_file = grid.oracle().gated_task()}));
  const auto id = std::to_string(campaign.value());
  EXPECT_EQ(gridsub({"-c", id, "-J", "[{}]"}).end.exit_status, 2);
  EXPECT_EQ(gridsub({"-c", id, "-n", "2", "-J", "[1]"}).end.exit_status, 2);
  EXPECT_EQ(gridsub({"-c", id, "-f", "x.jdl"}).end.exit_status, 2);
  EXPECT_EQ(gridsub({"-F", "x.json"}).end.exit_status, 2);
  EXPECT_EQ(gridsub({"-c", "99", "-n", "2"}).end.exit_status, 3);
  grid.cancel(campaign);
  const auto refused = gridsub({"-c", id, "-n", "2"});
  EXPECT_EQ(refused.end.exit_status, 4);
  EXPECT_THAT(refused.output, HasSubstr("is cancelled"));
}

TEST_F(Changed, AnEdit_CountsForWhatIsNotLaunched_AndIsShownWithWhoAndWhat) {
  const auto campaign = grid.gridsub(grid.jdl_of({.tasks = 200, .exec_file = grid.oracle().task("sleep 0.3")}));
  const auto id = std::to_string(campaign.value());
  const auto jobs_on = [&](const std::string& cluster) {
    return fmt::format("SELECT count(*) FROM jobs j JOIN clusters k ON k.id = j.cluster_id WHERE k.name = '{}'", cluster);
  };
  ASSERT_TRUE(
      grid.becomes("SELECT running > 0 FROM campaign_clusters p JOIN clusters k ON k.id = p.cluster_id WHERE k.name = 'beta'", "t"));
  const auto edited = gridsub({"--edit", id, "walltime=0:20:0", "clusters.beta=off", "clusters.alpha.max_jobs=2", "name=other"});
  EXPECT_TRUE(edited.end.succeeded()) << edited.output;
  EXPECT_THAT(edited.output,
              AllOf(HasSubstr("Campaign " + id + ": changed"), HasSubstr("clusters.alpha.walltime: \"0:10:00\" -> \"0:20:00\""),
                    HasSubstr("clusters.beta.max_jobs: (default) -> 0")));
  const auto cycles = grid.number("SELECT count(*) FROM cycles WHERE ended_at IS NOT NULL");
  ASSERT_TRUE(grid.becomes(fmt::format("SELECT count(*) >= {} FROM cycles WHERE ended_at IS NOT NULL", cycles + 3), "t"));
  const auto before = grid.value(jobs_on("beta"));
  const std::string live_on_alpha =
      "SELECT launching + waiting + running + unknown FROM campaign_clusters p JOIN clusters k ON k.id = p.cluster_id WHERE k.name = 'alpha'";
  // Jobs that were sent before the edit end first.
  ASSERT_TRUE(grid.becomes(fmt::format("SELECT ({}) <= 2", live_on_alpha), "t"));
  const auto done = grid.number(of(campaign, "done"));
  ASSERT_LE(done, 170) << "the rest of this test needs tasks";
  std::int64_t most = 0;
  ASSERT_TRUE(await([&] {
    most = std::max(most, grid.number(live_on_alpha));
    return grid.number(of(campaign, "done")) >= done + 20;
  }));
  EXPECT_THAT(most, AllOf(Ge(1), Le(2)));
  EXPECT_EQ(grid.value(jobs_on("beta")), before) << "nothing new goes to a cluster that is off";
  EXPECT_THAT(grid.run("gridstat", {"--why", id}).output, HasSubstr("does not use beta"));
  EXPECT_THAT(grid.run("gridstat", {id}).output, ::testing::ContainsRegex("beta +off"));
  EXPECT_TRUE(gridsub({"--edit", id, "clusters.beta=on", "clusters.alpha.max_jobs="}).end.succeeded());
  ASSERT_TRUE(grid.terminates(campaign));
  EXPECT_TRUE(grid.is_exactly_done(campaign, 200));
  EXPECT_THAT(grid.run("gridstat", {id}).output,
              AllOf(HasSubstr("Changes:"), HasSubstr(grid.value(of(campaign, "user_name"))), HasSubstr("name: \"test\" -> \"other\"")));
  const auto ended = gridsub({"--edit", id, "name=late"});
  EXPECT_EQ(ended.end.exit_status, 4);
  EXPECT_THAT(ended.output, HasSubstr("is terminated"));
  EXPECT_TRUE(grid.is_consistent());
}

TEST_F(Changed, WrongEdits_AreReportedWithTheirPlace_AndChangeNothing) {
  const auto campaign = grid.gridsub(grid.jdl_of({.tasks = 20, .exec_file = grid.oracle().task("sleep 5")}));
  const auto id = std::to_string(campaign.value());
  const auto wrong = gridsub({"--edit", id, "walltime=1:99:0", "clusters.alpha.max_jobs=many", "nb_jobs=7"});
  EXPECT_EQ(wrong.end.exit_status, 2);
  EXPECT_THAT(wrong.output, AllOf(HasSubstr("nothing was changed"), HasSubstr("walltime: '1:99:0' is not a walltime; write h:m:s"),
                                  HasSubstr("clusters.alpha.max_jobs: 'many'"), HasSubstr("nb_jobs: it cannot be changed")));
  EXPECT_EQ(gridsub({"--edit", id}).end.exit_status, 2);
  EXPECT_EQ(gridsub({"--edit", id, "walltime"}).end.exit_status, 2);
  EXPECT_EQ(gridsub({"--edit", "99", "name=x"}).end.exit_status, 3);
  const auto retried = gridsub({"--retry", id, "exec_file=true"});
  EXPECT_EQ(retried.end.exit_status, 4);
  EXPECT_THAT(retried.output, HasSubstr(fmt::format("campaign {} has no failed task: nothing was changed", id)));
  EXPECT_EQ(gridsub({"--retry", id, "--failure", "7", "exec_file=true"}).end.exit_status, 4);
  EXPECT_EQ(gridsub({"--retry", id, "--task", "0-3", "exec_file=true"}).end.exit_status, 4);
  const auto checked = gridsub({"--edit", id, "--dry-run", "name=x"});
  EXPECT_THAT(checked.output, AllOf(HasSubstr("it would change"), Not(HasSubstr(": changed"))));
  EXPECT_EQ(grid.value("SELECT count(*) FROM campaign_changes"), "0");
}

TEST(Changes, FailedTasksOfAnEndedCampaign_AreRetriedWithAnotherJdl_AndNoneStartsAsBefore) {
  GridUnderTest grid;
  grid.start_api();
  grid.almighty().start();
  const auto campaign = grid.gridsub(R"({"name":"c","nb_jobs":2,"exec_file":"false","walltime":"0:1:0","clusters":{"beta":{}}})");
  ASSERT_TRUE(grid.terminates(campaign));
  const auto id = std::to_string(campaign.value());
  EXPECT_EQ(grid.run("gridsub", {"--hold", id, "exec_file=true"}).end.exit_status, 2);
  EXPECT_EQ(grid.run("gridsub", {"--retry", id, "waltime=0:2:0"}).end.exit_status, 2);
  EXPECT_EQ(grid.value("SELECT state || ' ' || failed FROM campaigns"), "terminated 2") << "what is wrong retries nothing";
  const auto said = grid.run("gridsub", {"--retry", id, "exec_file=true", "walltime=0:2:0"});
  ASSERT_TRUE(said.end.succeeded()) << said.output;
  EXPECT_NE(said.output.find("2 failed tasks of campaign " + id + " will run again"), std::string::npos) << said.output;
  ASSERT_TRUE(grid.terminates(campaign));
  EXPECT_EQ(grid.value("SELECT done || ' ' || failed FROM campaigns"), "2 0");
  EXPECT_EQ(grid.value("SELECT string_agg(DISTINCT walltime_s::text, ' ' ORDER BY walltime_s::text) FROM launches"), "120 60");
}

}  // namespace
}  // namespace gleaner::tests
