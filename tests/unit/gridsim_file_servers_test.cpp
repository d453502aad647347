#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "sim/gridsim/engine/simulation.hpp"
#include "tests/unit/gridsim_scenarios.hpp"

namespace gleaner::gridsim {
namespace {

/// A cluster of 40 cores whose file server serves 100 MB/s, and is declared to bear so many.
Outcome played(double declared, std::string_view campaigns) {
  return simulate(scenario_in(fmt::format(
      R"({{"clusters": {{"alpha": {{"nodes": 4, "cores": 10, "start_rate": 20, "serves_mb_s": 100, "file_server_mb_s": {}}}}},
      "campaigns": [{}]}})",
      declared, campaigns)));
}

/// Tasks of 5 min, of which each moves 25 MB/s: four of them saturate the server.
constexpr std::string_view kReads =
    R"({"name": "reads", "user": "ada", "tasks": 80, "duration": "5m", "walltime": "6:00:00", "io_mb_s": 25})";

double seconds_run(const Job& job) { return seconds_of(job.ended) - seconds_of(*job.started); }

TEST(GridsimFileServers, TasksThatWantMoreThanTheServerServes_TakeLongerByAsMuch) {
  const auto outcome = played(0, R"({"tasks": 40, "duration": "100s", "walltime": "6:00:00", "io_mb_s": 10})");
  ASSERT_TRUE(outcome.complete);
  double work = 0, end = 0;
  for (const auto& job : outcome.jobs) {
    EXPECT_EQ(job.end, JobEnd::done);
    work += job.work * job.io_mb_s;
    end = std::max(end, seconds_of(job.ended));
    EXPECT_GT(seconds_run(job), 300) << "four times as long, while all run";
    EXPECT_LT(seconds_run(job), 401);
  }
  EXPECT_NEAR(work, 40 * 100 * 10, 1);
  EXPECT_NEAR(end, work / 100, 15) << "the server is never idle";
}

TEST(GridsimFileServers, ATaskThatIsSlowedDown_MayMeetItsWalltime) {
  const auto outcome = played(0, R"({"tasks": 40, "duration": "100s", "walltime": "0:02:00", "io_mb_s": 10, "max_attempts": 1})");
  EXPECT_GT(outcome.campaigns.at(0).failed, 0);
  for (const auto& job : outcome.jobs) EXPECT_LT(seconds_run(job), 121);
}

TEST(GridsimFileServers, Document003_TheFigureKeepsAFileServerFromSaturating_AndLeavesTheCoresToOthers) {
  const auto campaigns =
      std::string{kReads} + R"(, {"name": "computes", "user": "ben", "tasks": 200, "duration": "5m", "walltime": "6:00:00",
    "io_mb_s": 0})";
  const auto before = played(0, campaigns), now = played(100, campaigns);
  ASSERT_TRUE(before.complete && now.complete);
  const auto end_of = [](const Outcome& outcome, std::size_t campaign) { return outcome.campaigns.at(campaign).ended.value(); };
  EXPECT_LT(end_of(now, 1), 0.5 * end_of(before, 1)) << "it does not wait for cores that wait for the server";
  EXPECT_LT(end_of(now, 0), 1.15 * end_of(before, 0)) << "the server is as busy, but for the first jobs, and the starts between two tasks";
  for (const auto& job : now.jobs) EXPECT_NEAR(seconds_run(job), 300, 1) << "nothing slows a task down";
}

TEST(GridsimFileServers, PooledTasksSideBySide_AreItsLoad) {
  const auto campaign = R"({"tasks": 400, "duration": "10s", "walltime": "1:00:00", "resources": "/nodes=1", "io_mb_s": 5,
    "temporal_grouping": true, "dimensional_grouping": true})";
  const auto outcome = played(100, campaign);
  ASSERT_TRUE(outcome.complete);
  std::size_t at_once = 0;
  for (const auto& one : outcome.jobs) {
    const auto runs = [&](const Job& job) { return job.started && *job.started <= *one.started && job.ended > *one.started; };
    if (one.started) at_once = std::max(at_once, static_cast<std::size_t>(std::ranges::count_if(outcome.jobs, runs)));
  }
  EXPECT_LE(at_once, 40U);
  EXPECT_GT(at_once, 10U);
}

}  // namespace
}  // namespace gleaner::gridsim
