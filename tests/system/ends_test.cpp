#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <regex>

#include "tests/system/grid_under_test.hpp"

/// How jobs end, and what becomes of their tasks.
namespace gleaner::tests {
namespace {

using ::testing::HasSubstr;

std::string of(grid::CampaignId campaign, const std::string& column) {
  return fmt::format("SELECT {} FROM campaigns WHERE id = {}", column, campaign.value());
}
std::string ends(grid::CampaignId campaign, const std::string& end) {
  return fmt::format("SELECT count(*) FROM jobs WHERE campaign_id = {} AND ending = '{}'", campaign.value(), end);
}

TEST(Task, ThatFails_OpensAnEventWithItsStderr_AndBrakesItsClusterAlone) {
  GridUnderTest grid{{.configuration = {{"brake_time", "1s"}, {"brake_time_max", "1s"}}}};
  grid.start_api();
  const auto bad = "bash -c 'echo no such molecule >&2; exit 3' task";
  const auto jdl = fmt::format(
      R"({{"name":"half","nb_jobs":60,"walltime":"0:1:0","min_duration":"0","clusters":{{"alpha":{{"exec_file":"{}"}},"beta":{{"exec_file":"sleep 1; true"}}}}}})",
      bad);
  const auto campaign = grid.gridsub(jdl);
  grid.almighty().start();
  ASSERT_TRUE(grid.becomes("SELECT count(*) FROM brakes b JOIN clusters k ON k.id = b.cluster_id WHERE k.name = 'alpha'", "1"));
  const auto failed_before = grid.number(ends(campaign, "task_error"));
  EXPECT_THAT(grid.value("SELECT output FROM events WHERE code = 'TASK_ERROR'"), HasSubstr("no such molecule"));
  ASSERT_TRUE(grid.becomes(fmt::format("SELECT count(*) > {} FROM jobs WHERE ending = 'task_error'", failed_before), "t"))
      << "the cluster is tried again when the brake is over";
  ASSERT_TRUE(grid.terminates(campaign));
  EXPECT_EQ(grid.value("SELECT count(*) FROM brakes b JOIN clusters k ON k.id = b.cluster_id WHERE k.name = 'beta'"), "0");
  EXPECT_EQ(grid.value(of(campaign, "done + failed")), "60");
  EXPECT_GT(grid.number(of(campaign, "done")), 20);
  EXPECT_TRUE(grid.is_consistent());
}

TEST(Task, ThatWritesWhatIsNoText_IsReported_AndHurtsNobodyElse) {
  GridUnderTest grid;
  const auto bad =
      grid.submit({.tasks = 8, .exec_file = R"(bash -c 'printf "\351\000\033[31m\n" >&2; exit 3' task)", .clusters = {"alpha"}});
  const auto good = grid.submit({.tasks = 30, .exec_file = grid.oracle().task("sleep 0.2"), .clusters = {"beta"}});
  grid.almighty().start();
  ASSERT_TRUE(grid.terminates(good));
  ASSERT_TRUE(grid.terminates(bad));
  EXPECT_TRUE(grid.is_exactly_done(good, 30));
  EXPECT_EQ(grid.value(of(bad, "failed")), "8");
  EXPECT_THAT(grid.value("SELECT output FROM events WHERE code = 'TASK_ERROR'"), HasSubstr("\uFFFD"));
  EXPECT_EQ(grid.value("SELECT count(*) FROM events WHERE code LIKE '%FAILED%' OR code LIKE '%REFUSED'"), "0");
}

TEST(Task, ThatAsksForARerun_RunsAgain_AndPaysNothing) {
  for (const int status : {66, 67}) {
    GridUnderTest grid;
    const auto campaign =
        grid.submit({.tasks = 12, .exec_file = grid.oracle().task(fmt::format("[ $CIGRI_ATTEMPT != 0 ] || exit {}", status))});
    grid.almighty().start();
    ASSERT_TRUE(grid.terminates(campaign));
    EXPECT_TRUE(grid.is_exactly_done(campaign, 12));
    EXPECT_EQ(grid.value(ends(campaign, status == 66 ? "rerun_first" : "rerun_last")), "12");
    EXPECT_EQ(grid.value("SELECT sum(charged) FROM tasks"), "0");
  }
}

TEST(ARetiredCluster, LosesItsTasksToOthers_AndItsOldJobsAreDeletedWhenItIsBack) {
  GridUnderTest grid{{.configuration = {{"request_timeout", "2s"}}}};
  auto& alpha = grid.cluster("alpha");
  const auto campaign = grid.submit({.tasks = 12, .exec_file = grid.oracle().gated_task()});
  const auto on_alpha = [](const std::string& what) {
    return fmt::format("SELECT {} FROM jobs j JOIN clusters k ON k.id = j.cluster_id WHERE k.name = 'alpha'", what);
  };
  grid.almighty().start();
  ASSERT_TRUE(grid.becomes(of(campaign, "running"), "12"));
  const auto first = grid.number(on_alpha("min(remote_id)"));
  const auto last = grid.number(on_alpha("max(remote_id)"));
  alpha.kill();
  ASSERT_TRUE(grid.becomes("SELECT reachable FROM clusters WHERE name = 'alpha'", "f"));
  const auto retired = grid.run("gridctl", {"cluster", "retire", "alpha", "--yes", "--reason", "it burns"});
  ASSERT_TRUE(retired.end.succeeded()) << retired.output;
  EXPECT_THAT(grid.value("SELECT message FROM events WHERE code = 'DECLARED_LOST'"), HasSubstr("it burns"));
  EXPECT_EQ(grid.value(on_alpha("count(*) FILTER (WHERE j.ending = 'lost') > 0")), "t");
  alpha.start();
  const auto back = grid.run("gridctl", {"cluster", "enable", "alpha"});
  ASSERT_TRUE(back.end.succeeded()) << back.output;
  for (auto job = first; job <= last; ++job)
    EXPECT_TRUE(await([&] { return alpha.state_of(job) == "Error"; })) << "job " << job << " of before is " << alpha.state_of(job);
  grid.oracle().open_gate();
  ASSERT_TRUE(grid.terminates(campaign));
  EXPECT_TRUE(grid.is_exactly_done(campaign, 12));
  EXPECT_EQ(grid.value("SELECT sum(charged) FROM tasks"), "0");
}

TEST(Task, LongerThanItsWalltime_IsKilled_AndPays) {
  GridUnderTest grid;
  const auto campaign = grid.submit({.tasks = 4, .exec_file = grid.oracle().task("sleep 300"), .walltime = "0:0:1"});
  grid.almighty().start();
  ASSERT_TRUE(grid.terminates(campaign));
  EXPECT_EQ(grid.value(of(campaign, "failed")), "4");
  EXPECT_EQ(grid.value(ends(campaign, "walltime")), "4");
  EXPECT_GE(grid.number("SELECT count(*) FROM events WHERE code = 'WALLTIME'"), 1);
  EXPECT_TRUE(grid.is_consistent());
}

TEST(BestEffortJobs, Preempted_RunAgain_AndTheirTasksPayNothing) {
  GridUnderTest grid{{.clusters = {{.name = "alpha", .cores = 8}, {.name = "beta", .cores = 8}}}};
  const auto campaign = grid.submit({.tasks = 60, .exec_file = grid.oracle().gated_task()});
  grid.almighty().start();
  ASSERT_TRUE(grid.becomes(of(campaign, "running"), "32"));
  EXPECT_EQ(grid.cluster("alpha").preempt(10) + grid.cluster("beta").preempt(10), 20);
  ASSERT_TRUE(grid.becomes(ends(campaign, "preempted"), "20"));
  grid.oracle().open_gate();
  ASSERT_TRUE(grid.terminates(campaign));
  EXPECT_TRUE(grid.is_exactly_done(campaign, 60));
  EXPECT_EQ(grid.value("SELECT sum(charged) FROM tasks"), "0");
}

TEST(ParallelJobs, FillTheClusters_AndNoMoreWaitThanTheFloodAllows) {
  GridUnderTest grid{{.clusters = {{.name = "alpha", .cores = 8}, {.name = "beta", .cores = 8}}, .configuration = {{"flood", "0.5"}}}};
  const auto campaign = grid.submit({.tasks = 60, .exec_file = grid.oracle().task("sleep 2"), .resources = "/nodes=1/core=4"});
  grid.almighty().start();
  ASSERT_TRUE(grid.terminates(campaign));
  EXPECT_TRUE(grid.is_exactly_done(campaign, 60));
  EXPECT_EQ(grid.value("SELECT min(most) FROM (SELECT max(our_running) AS most FROM gridstatus GROUP BY cluster_id) m"), "16");
  EXPECT_LE(grid.number("SELECT max(our_waiting) FROM gridstatus WHERE our_running = 16"), 8);
  EXPECT_LE(grid.number("SELECT max(our_running + our_waiting) FROM gridstatus"), 16 + 8) << "a slow OAR has not started some of them yet";
}

/// The updator asks who holds resources, then for the others of our jobs: what either answer shows to hold resources holds them.
TEST(ParallelJobs, ThatStartBetweenTwoRequestsOfOnePoll_HoldTheirResources_WhichAreNotOfferedAgain) {
  GridUnderTest grid{{.clusters = {{.name = "alpha", .nodes = 1, .cores = 16}}, .configuration = {{"flood", "0.5"}}}};
  auto& alpha = grid.cluster("alpha");
  constexpr int kNever = 1'000'000;
  alpha.start_after("GET /jobs", kNever);
  const auto campaign =
      grid.submit({.tasks = 40, .exec_file = grid.oracle().gated_task(), .clusters = {"alpha"}, .resources = "/nodes=1/core=4"});
  grid.almighty().start();
  ASSERT_TRUE(await([&] { return alpha.jobs_in("Waiting") == 6; })) << alpha.jobs_in("Waiting") << " jobs wait";
  alpha.start_after("GET /jobs/table?state=", 1);
  ASSERT_TRUE(await([&] { return alpha.jobs_in("Running") == 4; })) << alpha.jobs_in("Running") << " jobs run";
  // Some cycles later all that was sent for free resources is there.
  ASSERT_TRUE(grid.becomes("SELECT count(*) >= 4 FROM gridstatus WHERE our_running = 16", "t"));
  EXPECT_LE(grid.number("SELECT max(our_running + free - max_resources) FROM gridstatus"), 0);
  EXPECT_LE(grid.number("SELECT max(our_running + our_waiting - max_resources) FROM gridstatus"), 8);
  EXPECT_EQ(grid.value("SELECT count(*) FROM jobs"), "6");
  grid.oracle().open_gate();
  ASSERT_TRUE(grid.terminates(campaign));
  EXPECT_TRUE(grid.is_exactly_done(campaign, 40));
}

/// Each command reports such a cluster, and the reason that --why states is true.
TEST(Cluster, WhoseNodesAreAllSuspected_IsNotOk_AndGetsJobsAgainWhenSomeAreBack) {
  GridUnderTest grid{{.clusters = {{.name = "alpha"}}}};
  auto& alpha = grid.cluster("alpha");
  grid.start_api();
  alpha.set_nodes("Suspected");
  grid.almighty().start();
  const auto campaign = grid.gridsub({.tasks = 4, .exec_file = grid.oracle().task(), .clusters = {"alpha"}});
  const auto id = std::to_string(campaign.value());
  ASSERT_TRUE(grid.becomes("SELECT count(*) FROM decisions WHERE reason = 'no_resources'", "1"));
  const auto why = grid.run("gridstat", {id, "--why"}).output;
  EXPECT_THAT(why, HasSubstr("no live resources"));
  EXPECT_THAT(why, HasSubstr("8 suspected"));
  EXPECT_THAT(why, ::testing::Not(HasSubstr("request")));
  EXPECT_THAT(grid.run("gridclusters", {}).output, ::testing::AllOf(HasSubstr("no live resources"), HasSubstr("(8 suspected)")));
  EXPECT_THAT(grid.run("gridstat", {id}).output, HasSubstr("no live resources"));
  EXPECT_THAT(grid.run("gridctl", {"cluster", "list"}).output, HasSubstr("no live resources"));
  EXPECT_THAT(grid.run("gridctl", {"check", "--as", "alice"}).output, HasSubstr("0 of 8 resources can be used, on 2 nodes (8 suspected)"));
  EXPECT_EQ(grid.value("SELECT count(*) FROM jobs"), "0");
  alpha.set_nodes("Alive");
  ASSERT_TRUE(grid.terminates(campaign)) << "it is not to wait for a minute until its resources are read again";
  EXPECT_TRUE(grid.is_exactly_done(campaign, 4));
  EXPECT_THAT(grid.run("gridclusters", {}).output, ::testing::Not(HasSubstr("suspected")));
}

TEST(JobHook, ThatFails_IsTheReasonInTheWordsOfOar_AndAfterItsBrakeOneJobIsTried) {
  GridUnderTest grid{
      {.clusters = {{.name = "alpha"}}, .configuration = {{"failures_before_brake", "2"}, {"brake_time", "1s"}, {"brake_time_max", "1s"}}}};
  auto& alpha = grid.cluster("alpha");
  alpha.spoil_launches("hook_failed", 2);
  grid.start_api();
  grid.almighty().start();
  const auto campaign =
      grid.gridsub({.tasks = 6, .exec_file = grid.oracle().gated_task(), .clusters = {"alpha"}, .resources = "/nodes=1/core=4"});
  const auto id = std::to_string(campaign.value());
  ASSERT_TRUE(grid.becomes("SELECT count(*) FROM decisions WHERE reason = 'no_resources'", "1")) << "both nodes are suspected";
  const std::string words = "error of oarexec, exit value = 2550";
  for (const auto& shown : {grid.run("gridevents", {"-c", id}).output, grid.run("gridstat", {id, "--why"}).output}) {
    EXPECT_THAT(shown, HasSubstr("NEVER_BEGAN"));
    EXPECT_THAT(std::regex_replace(shown, std::regex{"\\s+"}, " "), HasSubstr(words));
  }
  EXPECT_EQ(grid.value(ends(campaign, "never_began")), "2");
  alpha.set_nodes("Alive");
  ASSERT_TRUE(grid.becomes("SELECT count(*) FROM decisions WHERE reason = 'on_trial'", "1"));
  const auto why = std::regex_replace(grid.run("gridstat", {id, "--why"}).output, std::regex{"\\s+"}, " ");
  EXPECT_THAT(why, HasSubstr("after the brake (2 jobs in a row failed there"));
  EXPECT_THAT(why, HasSubstr("1 is live there"));
  EXPECT_THAT(why, ::testing::Not(HasSubstr("max_jobs")));
  EXPECT_EQ(grid.value("SELECT count(*) FROM jobs WHERE is_live(state)"), "1");
  grid.oracle().open_gate();
  ASSERT_TRUE(grid.terminates(campaign));
  EXPECT_TRUE(grid.is_exactly_done(campaign, 6));
}

}  // namespace
}  // namespace gleaner::tests
