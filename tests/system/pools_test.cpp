#include <gtest/gtest.h>

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "tests/system/grid_under_test.hpp"

/// Many short tasks in few jobs.
namespace gleaner::tests {
namespace {

namespace fs = std::filesystem;

/// Jobs that OAR got, of a campaign.
std::int64_t submissions(GridUnderTest& grid, grid::CampaignId campaign) {
  return grid.number(fmt::format("SELECT count(*) FROM jobs WHERE campaign_id = {} AND NOT pooled", campaign.value()));
}

Configuration quick() { return {{"cycle_period", "200ms"}, {"evidence_delay", "500ms"}}; }

TEST(Pools, ShortTasks_ShareJobs_AndEachIsDoneOnce) {
  constexpr std::int64_t kTasks = 400;
  GridUnderTest grid{{.configuration = quick()}};
  grid.almighty().start();
  const auto campaign = grid.gridsub({.tasks = kTasks, .exec_file = grid.oracle().task("sleep 0.05"), .grouping = true});
  ASSERT_TRUE(grid.terminates(campaign));
  EXPECT_TRUE(grid.is_exactly_done(campaign, kTasks));
  EXPECT_LT(submissions(grid, campaign), kTasks / 4);
  EXPECT_EQ(grid.number("SELECT sum(failed) FROM campaigns"), 0);
  EXPECT_TRUE(grid.is_consistent());
}

TEST(Pools, WithoutTheKey_EachTaskHasAJob) {
  GridUnderTest grid{{.configuration = quick()}};
  grid.almighty().start();
  const auto campaign = grid.submit({.tasks = 40, .exec_file = grid.oracle().task()});
  ASSERT_TRUE(grid.terminates(campaign));
  EXPECT_EQ(submissions(grid, campaign), 40);
}

TEST(Pools, WithoutTheKey_WhatStartsCostIsMeasured) {
  constexpr std::int64_t kTasks = 60;
  GridUnderTest grid{{.clusters = {{.name = "alpha"}}, .configuration = quick()}};
  grid.almighty().start();
  const auto campaign = grid.gridsub({.tasks = kTasks, .exec_file = grid.oracle().task("sleep 0.1"), .clusters = {"alpha"}});
  ASSERT_TRUE(grid.terminates(campaign));
  EXPECT_TRUE(grid.is_exactly_done(campaign, kTasks));
  EXPECT_EQ(grid.value("SELECT temporal_grouping FROM campaigns"), "advise");
  EXPECT_GE(grid.number("SELECT measured FROM campaign_clusters"), 5);
  const auto command = std::stod(grid.value("SELECT command_s / measured FROM campaign_clusters"));
  EXPECT_GE(command, 0.1);
  EXPECT_LT(command, std::stod(grid.value("SELECT held_s / measured FROM campaign_clusters")) + 1);
}

TEST(Pools, TheirDurations_AreThoseOfTheTasks_AndTheirUsageIsThatOfTheJobs) {
  GridUnderTest grid{{.clusters = {{.name = "alpha"}}, .configuration = quick()}};
  grid.almighty().start();
  const auto campaign = grid.submit({.tasks = 160, .exec_file = grid.oracle().task("sleep 0.1"), .clusters = {"alpha"}, .grouping = true});
  ASSERT_TRUE(grid.terminates(campaign));
  const auto mean = std::stod(grid.value("SELECT duration_sum / done FROM campaign_clusters"));
  EXPECT_LT(mean, 1.0) << "a job that carries out 20 tasks takes more than 2 s";
  EXPECT_GT(mean, 0.1);
  const auto held = std::stod(grid.value("SELECT sum(extract(epoch FROM ended_at - started_at)) FROM jobs WHERE NOT pooled"));
  EXPECT_NEAR(std::stod(grid.value("SELECT sum(resource_seconds) FROM usage")), held, 0.01);
  // The resource-seconds that the carriers held, and those of them that their tasks took: the difference is the cost of their starts.
  EXPECT_GT(grid.number("SELECT measured FROM campaign_clusters"), 0);
  const auto tasks = std::stod(grid.value("SELECT command_s FROM campaign_clusters"));
  EXPECT_GT(tasks, 0.1 * static_cast<double>(grid.number("SELECT measured FROM campaign_clusters")));
  EXPECT_LE(std::stod(grid.value("SELECT held_s FROM campaign_clusters")), held + 0.01);
}

TEST(Pools, FailedTasks_AreTriedAgain_AndFailWithTheirOwnStatus) {
  GridUnderTest grid{{.clusters = {{.name = "alpha"}}, .configuration = quick()}};
  grid.almighty().start();
  // Every tenth task fails.
  const auto campaign = grid.submit(
      {.tasks = 60, .exec_file = grid.oracle().task("[ $(($1 % 10)) != 3 ] || exit 5"), .clusters = {"alpha"}, .grouping = true});
  ASSERT_TRUE(grid.terminates(campaign));
  EXPECT_EQ(grid.number("SELECT failed FROM campaigns"), 6);
  EXPECT_EQ(grid.number("SELECT done FROM campaigns"), 54);
  EXPECT_EQ(grid.number("SELECT count(DISTINCT task) FROM jobs WHERE ending = 'task_error' AND exit_status = 5 * 256 AND task % 10 = 3"),
            6);
}

TEST(Pools, ACancelledCampaign_LeavesNoTask_AndNoJob) {
  GridUnderTest grid{{.clusters = {{.name = "alpha"}}, .configuration = quick()}};
  grid.almighty().start();
  const auto campaign = grid.submit({.tasks = 500, .exec_file = grid.oracle().task("sleep 0.5"), .clusters = {"alpha"}, .grouping = true});
  ASSERT_TRUE(await([&] { return grid.number("SELECT done FROM campaigns") > 5; }));
  grid.cancel(campaign);
  EXPECT_TRUE(grid.becomes("SELECT launching + submitted + running + waiting FROM campaigns", "0"));
  EXPECT_TRUE(grid.becomes("SELECT count(*) FROM jobs WHERE is_live(state)", "0"));
  EXPECT_TRUE(grid.is_consistent());
}

TEST(Pools, ACancelledTask_ThatNoJobHasTaken_NeverRuns) {
  GridUnderTest grid{{.clusters = {{.name = "alpha", .nodes = 1, .cores = 1}}, .configuration = quick()}};
  grid.almighty().start();
  const auto campaign = grid.gridsub({.tasks = 12, .exec_file = grid.oracle().gated_task(), .clusters = {"alpha"}, .grouping = true});
  ASSERT_TRUE(grid.becomes("SELECT count(*) FILTER (WHERE state = 'running') || ' ' || count(*) FILTER (WHERE pooled) FROM jobs", "1 11"));
  // Some claims fail, and of some the answer is lost: they are made again, and those that are there stay.
  grid.cluster("alpha").add_fault(R"({"mode":"500","match":"POST /media","count":2})");
  grid.cluster("alpha").add_fault(R"({"mode":"empty","match":"POST /media","count":2,"after_commit":true})");
  EXPECT_TRUE(grid.run("griddel", {std::to_string(campaign.value()), "--task", "5-9"}).end.succeeded());
  ASSERT_TRUE(
      grid.becomes("SELECT count(*) FROM kill_requests k JOIN jobs j ON j.id = k.job_id WHERE j.pooled AND k.sent_at IS NOT NULL", "5"));
  grid.oracle().open_gate();
  ASSERT_TRUE(grid.terminates(campaign));
  EXPECT_EQ(grid.value("SELECT concat_ws(' ', done, failed, cancelled) FROM campaigns"), "7 0 5");
  EXPECT_EQ(grid.oracle().executions(campaign).size(), 7U) << "the claims kept them from running";
  EXPECT_EQ(submissions(grid, campaign), 1);
  EXPECT_TRUE(grid.is_consistent());
}

TEST(Pools, ACancelledTask_ThatAJobCarriesOut_IsKilled_AndTheRestOfThePoolIsDone) {
  GridUnderTest grid{{.clusters = {{.name = "alpha", .nodes = 1, .cores = 1}}, .configuration = quick()}};
  grid.almighty().start();
  const auto campaign =
      grid.gridsub({.tasks = 12, .exec_file = grid.oracle().task("[ $1 != 6 ] || sleep 300"), .clusters = {"alpha"}, .grouping = true});
  ASSERT_TRUE(grid.becomes("SELECT count(*) FROM jobs WHERE task = 6 AND pooled AND remote_id IS NOT NULL", "1"));
  EXPECT_TRUE(grid.run("griddel", {std::to_string(campaign.value()), "--task", "6"}).end.succeeded());
  ASSERT_TRUE(grid.terminates(campaign));
  EXPECT_EQ(grid.value("SELECT concat_ws(' ', done, failed, cancelled) FROM campaigns"), "11 0 1");
  EXPECT_EQ(grid.oracle().executions(campaign).size(), 11U);
  EXPECT_EQ(grid.number("SELECT sum(charged) FROM tasks"), 0) << "nobody pays for the tasks that the killed job had not reached";
  EXPECT_TRUE(grid.is_consistent());
}

/// As by a site's rule on walltimes: that of a pool is longer than the task's.
TEST(Pools, OfWhichOarRefusesTheJobs_AreLeftOut_AndTheTasksHaveJobsOfTheirOwn) {
  constexpr std::int64_t kTasks = 24;
  GridUnderTest grid{{.clusters = {{.name = "alpha"}}, .configuration = quick()}};
  grid.cluster("alpha").add_fault(R"({"mode":"403","match":"POST /jobs","count":1})");
  grid.almighty().start();
  const auto campaign = grid.gridsub({.tasks = kTasks, .exec_file = grid.oracle().task(), .clusters = {"alpha"}, .grouping = true});
  ASSERT_TRUE(grid.terminates(campaign));
  EXPECT_TRUE(grid.is_exactly_done(campaign, kTasks));
  EXPECT_EQ(grid.value("SELECT string_agg(code || ' ' || state, ', ') FROM events"), "POOL_REFUSED open");
  EXPECT_NE(grid.value("SELECT message FROM events").find("whose walltime is 0:12:00 (a task's 0:10:00 and pool_duration, 0:02:00)"),
            std::string::npos)
      << grid.value("SELECT message FROM events");
  EXPECT_EQ(grid.number("SELECT count(*) FROM brakes"), 0);
  EXPECT_EQ(grid.number("SELECT count(*) FROM jobs WHERE ending = 'done' AND pooled"), 0);
  EXPECT_EQ(submissions(grid, campaign), kTasks + 8) << "the refused launch had eight jobs";
  EXPECT_TRUE(grid.is_consistent());
}

TEST(Pools, APreemptedJob_GivesBackOneTask_AndTheOthersTakeTheRest) {
  constexpr std::int64_t kTasks = 300;
  GridUnderTest grid{{.clusters = {{.name = "alpha"}}, .configuration = quick()}};
  grid.almighty().start();
  const auto campaign =
      grid.submit({.tasks = kTasks, .exec_file = grid.oracle().task("sleep 0.2"), .clusters = {"alpha"}, .grouping = true});
  for (int done = 40; done <= 160; done += 40) {
    ASSERT_TRUE(await([&] { return grid.number("SELECT done FROM campaigns") >= done; }));
    grid.cluster("alpha").preempt(3);
  }
  ASSERT_TRUE(grid.terminates(campaign));
  EXPECT_TRUE(grid.is_exactly_done(campaign, kTasks));
  EXPECT_EQ(grid.number("SELECT sum(charged) FROM tasks"), 0);
}

TEST(Pools, SideBySide_AJobOfANodeCarriesOutATaskOnEachCore) {
  constexpr std::int64_t kTasks = 120;
  GridUnderTest grid{{.clusters = {{.name = "alpha", .nodes = 2, .cores = 4}}, .configuration = quick()}};
  grid.almighty().start();
  const auto folder = grid.oracle().folder().string();
  const auto campaign = grid.gridsub({.tasks = kTasks,
                                      .exec_file = grid.oracle().task(fmt::format(
                                          "touch {0}/now.$1 && sleep 0.5 && ls {0} | grep -c ^now >> {0}/counts && rm {0}/now.$1", folder)),
                                      .clusters = {"alpha"},
                                      .resources = "/nodes=1",
                                      .more_keys = R"("dimensional_grouping":true)"});
  ASSERT_TRUE(grid.terminates(campaign));
  EXPECT_TRUE(grid.is_exactly_done(campaign, kTasks));
  std::ifstream counts{folder + "/counts"};
  int most = 0;
  for (int count = 0; counts >> count;) most = std::max(most, count);
  EXPECT_GT(most, 4) << "two jobs hold all of the cluster";
  EXPECT_LE(most, 8);
  EXPECT_LT(submissions(grid, campaign), kTasks / 4);
  EXPECT_EQ(grid.number("SELECT count(*) FROM campaign_clusters WHERE measured > 0"), 0)
      << "the times of tasks side by side do not add up to that of their job";
}

TEST(Pools, ATaskThatOverrunsItsWalltime_IsEnded_AndTheOthersRunOn) {
  GridUnderTest grid{{.clusters = {{.name = "alpha"}}, .configuration = quick()}};
  grid.almighty().start();
  const auto campaign = grid.submit({.tasks = 40,
                                     .exec_file = grid.oracle().task("[ $1 != 30 ] || sleep 60"),
                                     .clusters = {"alpha"},
                                     .walltime = "0:0:2",
                                     .grouping = true});
  ASSERT_TRUE(grid.terminates(campaign));
  EXPECT_EQ(grid.number("SELECT done FROM campaigns"), 39);
  EXPECT_EQ(grid.value("SELECT DISTINCT ending FROM jobs WHERE task = 30"), "walltime");
}

/// A task that hangs: its replica is done, and its job, which does nothing else, is killed.
TEST(Pools, Document003_ATaskThatHangs_IsDoneByItsReplica_AndTheRestOfItsPoolIsDone) {
  GridUnderTest grid{
      {.clusters = {{.name = "alpha", .nodes = 1, .cores = 1}, {.name = "beta", .nodes = 1, .cores = 1}}, .configuration = quick()}};
  grid.almighty().start();
  const auto campaign = grid.gridsub({.tasks = 24,
                                      .exec_file = grid.oracle().task("[ \"$1 $CIGRI_ATTEMPT\" != \"9 0\" ] || sleep 300"),
                                      .grouping = true,
                                      .more_keys = R"("replicas":"allowed")"});
  ASSERT_TRUE(grid.terminates(campaign));
  EXPECT_TRUE(grid.becomes("SELECT count(*) FROM jobs WHERE is_live(state)", "0")) << "the first copy is killed";
  EXPECT_EQ(grid.value("SELECT concat_ws(' ', done, failed, cancelled) FROM campaigns"), "24 0 0");
  EXPECT_EQ(grid.number("SELECT count(*) FROM jobs j JOIN launches l ON l.id = j.launch_id WHERE task = 9 AND attempt = 1 AND "
                        "ending = 'done' AND l.pool_s IS NULL"),
            1);
  EXPECT_EQ(grid.number("SELECT sum(charged) FROM tasks"), 0);
  EXPECT_TRUE(grid.is_exactly_done(campaign, 24));
  EXPECT_TRUE(grid.is_consistent());
}

TEST(Pools, Document003_AReplicaThatIsLater_IsKilled_AndThePoolGoesOn) {
  GridUnderTest grid{
      {.clusters = {{.name = "alpha", .nodes = 1, .cores = 1}, {.name = "beta", .nodes = 1, .cores = 1}}, .configuration = quick()}};
  grid.almighty().start();
  const auto waits = fmt::format("[ $1 != 9 ] || [ $CIGRI_ATTEMPT = 0 ] || sleep 300; [ $1 != 9 ] || {}", grid.oracle().waits_at_gate());
  const auto campaign =
      grid.gridsub({.tasks = 24, .exec_file = grid.oracle().task(waits), .grouping = true, .more_keys = R"("replicas":"allowed")"});
  ASSERT_TRUE(grid.becomes("SELECT count(*) FROM jobs WHERE task = 9 AND attempt = 1 AND state = 'running'", "1"));
  grid.oracle().open_gate();
  ASSERT_TRUE(grid.terminates(campaign));
  EXPECT_TRUE(grid.becomes("SELECT count(*) FROM jobs WHERE is_live(state)", "0"));
  EXPECT_EQ(grid.value("SELECT concat_ws(' ', done, failed, cancelled) FROM campaigns"), "24 0 0");
  EXPECT_EQ(grid.value("SELECT state FROM jobs WHERE task = 9 AND attempt = 1"), "killed");
  EXPECT_EQ(grid.value("SELECT ending FROM jobs WHERE task = 9 AND attempt = 0"), "done");
  EXPECT_TRUE(grid.is_consistent());
}

/// The longest tasks do not keep the others waiting in their jobs' hands.
TEST(Pools, TasksThatNobodyReached_GoBackToTheBag_WhenTheTimeOfThePoolIsOver) {
  GridUnderTest grid{{.clusters = {{.name = "alpha", .nodes = 1, .cores = 2}},
                      .configuration = {{"cycle_period", "200ms"}, {"evidence_delay", "500ms"}, {"pool_duration", "2s"}}}};
  grid.almighty().start();
  const auto campaign = grid.submit({.tasks = 60, .exec_file = grid.oracle().task("sleep 1"), .clusters = {"alpha"}, .grouping = true});
  ASSERT_TRUE(grid.terminates(campaign));
  EXPECT_TRUE(grid.is_exactly_done(campaign, 60));
  EXPECT_GT(grid.number("SELECT count(*) FROM jobs WHERE ending = 'not_reached'"), 0);
  EXPECT_EQ(grid.number("SELECT max(attempt - uncounted) FROM tasks"), 0) << "none of it counts against max_attempts";
}

}  // namespace
}  // namespace gleaner::tests
