#include <gtest/gtest.h>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <thread>
#include <vector>

#include "tests/chaos/chosen.hpp"
#include "tests/seed.hpp"
#include "tests/system/grid_under_test.hpp"

/// Failures that a real OAR showed (tests/oar-testbed/README.md), reproduced by minioar.
namespace gleaner::tests {
namespace {

using std::chrono::milliseconds;

constexpr std::array kNames{"alpha", "beta"};

MinioarWish crashing(const std::string& name, int cores = 8) {
  return {.name = name, .nodes = 1, .cores = cores, .options = {"--exterminate-after-ms", "600", "--kill-grace-ms", "200"}};
}

GridUnderTest::Wish wish_of(std::vector<MinioarWish> clusters, Configuration configuration = {}) {
  Configuration all{{"lease_duration", "3s"},  {"void_delay", "2s"},     {"cycle_period", "200ms"},
                    {"launch_patience", "3s"}, {"submit_timeout", "2s"}, {"request_timeout", "2s"}};
  for (const auto& [key, text] : configuration) all[key] = text;
  return {.clusters = std::move(clusters), .configuration = std::move(all)};
}

/// Nobody was charged for what OAR did.
void expect_nobody_paid(GridUnderTest& grid) {
  EXPECT_EQ(grid.value("SELECT sum(failed) FROM campaigns"), "0");
  EXPECT_EQ(grid.value("SELECT sum(charged) FROM tasks"), "0");
}

/// OAR's servers and APIs die at random moments, among local jobs that preempt ours.
class Deaths {
 public:
  Deaths(GridUnderTest& grid, Dice& dice) : grid_{grid}, dice_{dice} {}

  void server() {
    auto& cluster = pick();
    constexpr std::array kEnds{"late", "late", "lost"};
    constexpr std::array kLaunches{"launching", "running", "unseen", "resubmitted", "run_twice"};
    if (dice_.roll(0, 2) == 0) cluster.spoil_launches(dice_.pick(kLaunches), 1);
    cluster.kill_server(dice_.pick(kEnds), milliseconds{dice_.roll(200, 1000)});
    pause(50, 700);
    cluster.start_server();
  }
  void api() {
    auto& cluster = pick();
    cluster.kill();
    pause(0, 300);
    cluster.start();
  }
  /// Its walltime is short: if its end is lost, it keeps its place until then, and several may fill a cluster.
  void local_job() { submit_local(pick().description(), {.cores = dice_.roll(1, 4), .command = "sleep 0.7", .walltime = "0:0:6"}); }

  /// So many of each, in any order.
  void strike(int servers, int apis, int locals) {
    std::vector<std::function<void()>> all;
    all.insert(all.end(), static_cast<std::size_t>(servers), [this] { server(); });
    all.insert(all.end(), static_cast<std::size_t>(apis), [this] { api(); });
    all.insert(all.end(), static_cast<std::size_t>(locals), [this] { local_job(); });
    for (auto left = static_cast<int>(all.size()); left > 1; --left)
      std::swap(all[static_cast<std::size_t>(left - 1)], all[static_cast<std::size_t>(dice_.roll(0, left - 1))]);
    for (const auto& one : all) {
      pause(20, 300);
      one();
    }
  }

 private:
  Minioar& pick() { return grid_.cluster(dice_.pick(kNames)); }
  void pause(int least, int most) { std::this_thread::sleep_for(milliseconds{dice_.roll(least, most)}); }  // the random moment itself

  GridUnderTest& grid_;
  Dice& dice_;
};

class OarsServer : public ::testing::TestWithParam<bool> {};

TEST_P(OarsServer, KilledTwelveTimes_AndItsApiEight_BesideLocalJobs_EachTaskIsDoneOnce_AndNobodyPays) {
  if (!is_chosen(GetParam() ? 0 : 1, 2)) GTEST_SKIP() << kAnotherIsChosen;
  const auto seed = test_seed();
  const std::int64_t tasks = long_runs() ? 300 : 80;
  for (int run = 0; run < (long_runs() ? 10 : 1) && !::testing::Test::HasFailure(); ++run) {
    SCOPED_TRACE(fmt::format("seed {}", seed + static_cast<std::uint64_t>(run)));
    Dice dice{seed + static_cast<std::uint64_t>(run)};
    // A job whose end is lost keeps its place until its walltime, which is that of a task and of the pool.
    GridUnderTest grid{wish_of({crashing("alpha"), crashing("beta")}, {{"pool_duration", "4s"}})};
    grid.almighty().start();
    const auto campaign = grid.submit(
        {.tasks = tasks, .exec_file = grid.oracle().task("sleep 0.$(($1 * 7 % 9))"), .walltime = "0:0:6", .grouping = GetParam()});
    Deaths{grid, dice}.strike(12, 8, 11);
    ASSERT_TRUE(grid.terminates(campaign));
    EXPECT_TRUE(grid.is_exactly_done(campaign, tasks));
    expect_nobody_paid(grid);
  }
}

INSTANTIATE_TEST_SUITE_P(OfJobs, OarsServer, ::testing::Values(false, true),
                         [](const auto& each) { return each.param ? std::string{"InPools"} : std::string{"OneForEachTask"}; });

TEST(OarsServerDead, WhileJobsEnd_TheyAreOver_ThoughOarHoldsThemForFinishing) {
  GridUnderTest grid{wish_of({crashing("alpha")})};
  const auto campaign = grid.submit({.tasks = 6, .exec_file = grid.oracle().gated_task(), .clusters = {"alpha"}});
  grid.almighty().start();
  ASSERT_TRUE(grid.becomes("SELECT count(*) FROM jobs WHERE state = 'running'", "6"));
  grid.cluster("alpha").kill_server("finishing", milliseconds{500});
  grid.oracle().open_gate();
  ASSERT_TRUE(await([&] { return grid.cluster("alpha").jobs_in("Finishing") == 6; }));
  grid.cluster("alpha").start_server();
  ASSERT_TRUE(grid.terminates(campaign));
  EXPECT_TRUE(grid.is_exactly_done(campaign, 6));
  expect_nobody_paid(grid);
}

/// Jobs stay Launching, run unseen, or are submitted again by OAR, which may run them all the same.
TEST(OarsLaunches, ThatGoWrongInEveryWay_LeaveTheirTasksDoneOnce_AndNobodyPays) {
  GridUnderTest grid{wish_of({crashing("alpha")})};
  for (const auto* become : {"launching", "running", "unseen", "resubmitted", "run_twice"})
    grid.cluster("alpha").spoil_launches(become, long_runs() ? 8 : 2);
  const std::int64_t tasks = long_runs() ? 100 : 24;
  const auto campaign =
      grid.submit({.tasks = tasks, .exec_file = grid.oracle().task("sleep 0.4"), .clusters = {"alpha"}, .walltime = "0:0:5"});
  grid.almighty().start();
  ASSERT_TRUE(grid.terminates(campaign));
  EXPECT_TRUE(grid.is_exactly_done(campaign, tasks));
  expect_nobody_paid(grid);
  EXPECT_EQ(grid.value("SELECT count(*) FROM events WHERE code = 'WALLTIME'"), "0") << "a longer walltime would change nothing";
}

/// OAR applies no walltime to such a job.
TEST(OarsLaunches, ThatStayLaunchingWhileTheirCommandNeverEnds_AreEndedAfterTheirWalltime) {
  GridUnderTest grid{wish_of({crashing("alpha")})};
  grid.cluster("alpha").spoil_launches("unseen", 1);
  const auto first = grid.submit({.tasks = 1, .exec_file = "sleep 1000", .clusters = {"alpha"}, .walltime = "0:0:2"});
  grid.almighty().start();
  ASSERT_TRUE(grid.terminates(first));
  EXPECT_EQ(grid.value("SELECT string_agg(ending, ' ') FROM jobs"), "walltime");
  EXPECT_EQ(grid.value("SELECT failed FROM campaigns"), "1") << "a task that ran beyond its walltime pays, as on a cluster that applies it";
  EXPECT_EQ(grid.value("SELECT string_agg(code, ' ' ORDER BY code) FROM events WHERE code IN ('NEVER_BEGAN', 'OVERDUE', 'WALLTIME')"),
            "OVERDUE WALLTIME");
  EXPECT_EQ(grid.cluster("alpha").jobs_in("Launching"), 0);
}

TEST(ReinstalledOar, GivesOurJobsIdsToOthers_TheirEndsSettleNothing_AndNoneOfThemIsKilled) {
  GridUnderTest grid{wish_of({crashing("alpha", 16)})};
  auto& alpha = grid.cluster("alpha");
  const auto campaign = grid.submit({.tasks = 6, .exec_file = grid.oracle().gated_task(), .clusters = {"alpha"}});
  grid.almighty().start();
  ASSERT_TRUE(grid.becomes("SELECT count(*) FROM jobs WHERE state = 'running'", "6"));
  const auto last = grid.number("SELECT max(remote_id) FROM jobs");
  alpha.reinstall();
  std::vector<std::int64_t> foreign;
  while (foreign.empty() || foreign.back() < last) {
    foreign.push_back(submit_local(alpha.description(), {.command = foreign.size() % 2 == 0 ? "sleep 0.2" : "sleep 5"}));
  }
  ASSERT_TRUE(await([&] { return alpha.jobs_in("Terminated") >= 3; }));
  grid.oracle().open_gate();
  ASSERT_TRUE(grid.terminates(campaign));
  EXPECT_TRUE(grid.is_exactly_done(campaign, 6));
  expect_nobody_paid(grid);
  for (const auto id : foreign) {
    const auto state = alpha.state_of(id);
    EXPECT_TRUE(state == "Terminated" || state == "Running") << "job " << id << " of somebody else is " << state;
  }
}

TEST(LaunchesOfUnknownFate, HoldNoRoomThatTheirClusterShowsToBeFree_AndAreSettledSoonAfterItsReturn) {
  constexpr int kFewCycles = 50;
  // The grid's own patience with launches, not that of tests.
  GridUnderTest grid{wish_of({crashing("alpha", 16)}, {{"void_delay", "15s"}, {"void_looks", "2"}})};
  auto& alpha = grid.cluster("alpha");
  alpha.add_fault(R"({"mode":"reset","match":"POST /jobs","count":2})");
  // Two launches of all its room.
  const std::array campaigns{grid.submit({.tasks = 16, .exec_file = grid.oracle().task(), .clusters = {"alpha"}}),
                             grid.submit({.tasks = 16, .exec_file = grid.oracle().task(), .clusters = {"alpha"}})};
  grid.almighty().start();
  ASSERT_TRUE(grid.becomes("SELECT count(*) FROM launches WHERE state = 'unknown'", "2"));
  alpha.kill();
  ASSERT_TRUE(grid.becomes("SELECT reachable FROM clusters", "f"));
  const auto third = grid.submit({.tasks = 8, .exec_file = grid.oracle().task(), .clusters = {"alpha"}});
  alpha.start();  // its faults went with it
  const auto back = grid.value("SELECT now()");
  EXPECT_TRUE(grid.becomes("SELECT reachable FROM clusters", "t"));
  EXPECT_TRUE(grid.terminates(third)) << grid.value("SELECT string_agg(concat_ws(' ', reason, figures), '; ') FROM decisions");
  EXPECT_TRUE(grid.becomes("SELECT count(*) FROM launches WHERE state IN ('launching', 'unknown')", "0"));
  EXPECT_LE(grid.number(fmt::format("SELECT count(*) FROM cycles WHERE started_at > timestamptz '{}' + interval '15 s' AND started_at < "
                                    "(SELECT max(settled_at) FROM launches WHERE unknown_at IS NOT NULL)",
                                    back)),
            kFewCycles)
      << "void_delay after its return";
  for (const auto campaign : campaigns) {
    ASSERT_TRUE(grid.terminates(campaign));
    EXPECT_TRUE(grid.is_exactly_done(campaign, 16));
  }
  expect_nobody_paid(grid);
}

/// The cluster's front end stalls: the POST hangs, is given up, and is carried out after all.
TEST(StalledFrontEnd, CarriesOutWhatWasGivenUp_AndNothingRunsTwice_WhereverItsTasksAre) {
  const int stall_ms = long_runs() ? 150'000 : 7'000;
  GridUnderTest grid{wish_of(
      {crashing("alpha"), crashing("beta")},
      long_runs() ? Configuration{{"submit_timeout", "60s"}, {"void_delay", "30s"}, {"brake_time", "10s"}, {"brake_time_max", "60s"}}
                  : Configuration{{"submit_timeout", "1s"}})};
  auto& alpha = grid.cluster("alpha");
  alpha.add_fault(fmt::format(R"({{"mode":"none","match":"POST /jobs","count":1,"delay_ms":{}}})", stall_ms));
  const auto campaign = grid.submit({.tasks = 60, .exec_file = grid.oracle().task("sleep 1")});
  grid.almighty().start();
  ASSERT_TRUE(grid.becomes("SELECT count(*) > 0 FROM launches WHERE state IN ('unknown', 'void')", "t"));
  ASSERT_TRUE(await([&] { return alpha.submissions() >= 1; })) << "it never came";
  ASSERT_TRUE(grid.terminates(campaign));
  EXPECT_TRUE(await([&] { return alpha.jobs_in("Waiting,toLaunch,Launching,Running") == 0; })) << "an orphan is left";
  EXPECT_TRUE(grid.is_exactly_done(campaign, 60));
  expect_nobody_paid(grid);
}

}  // namespace
}  // namespace gleaner::tests
