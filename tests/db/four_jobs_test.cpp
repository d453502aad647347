#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string>

#include "sim/world/campaigns.hpp"
#include "sim/world/virtual_clock.hpp"
#include "tests/db/played_grid.hpp"

/// The four jobs of document 001 ("first-come", "backfill"), written in nodes, on a cluster of four nodes in simulated time
/// (docs/architecture/world.md): production's planner, database and runner, and minioar's own queue.
namespace gleaner::tests {
namespace {

constexpr double kHour = 3600;

struct Job {
  int nodes;
  int hours;
};
const std::map<int, Job> kJobs{{123, {2, 2}}, {124, {2, 2}}, {125, {1, 1}}, {126, {4, 4}}};

class FourJobs : public testing::Test {
 protected:
  /// @param at_a_time  jobs that may run; 0: as many as there is room for
  void play(int at_a_time) {
    world::Settings settings;
    settings.clusters = 1;
    settings.nodes = 4;
    settings.cores = 2;
    settings.cycle = std::chrono::minutes{2};
    grid.emplace(settings, at_a_time);
    static_cast<void>(grid->play_until([] { return false; }, 250));  // the cluster is reached
    for (const auto& [number, job] : kJobs) submit(number, job, at_a_time > 0);
    const auto all_ended = [&] {
      return std::ranges::all_of(campaigns_, [&](const auto& one) {
        return grid->ask("alice", "GET", fmt::format("/v1/campaigns/{}", one.second)).json["state"].text() == "terminated";
      });
    };
    EXPECT_TRUE(grid->play_until(all_ended, 12 * kHour));
  }
  /// The hours from the begin of the first job to that of a job. Each task ends two minutes before its walltime.
  [[nodiscard]] double begin_of(int number) {
    const auto& works = grid->cluster("k00").works();
    const auto first = std::ranges::min_element(works, {}, &world::Work::began);
    const auto own = std::ranges::find(works, campaigns_.at(number), &world::Work::campaign);
    if (own == works.end()) return -1;
    return std::chrono::duration<double>{own->began - first->began}.count() / kHour;
  }
  void expect_that_each_job_ran_once() {
    const auto& works = grid->cluster("k00").works();
    EXPECT_EQ(works.size(), kJobs.size()) << "a job was sent and killed";
    for (const auto& work : works) EXPECT_TRUE(work.is_whole && work.status == 0) << work.campaign;
  }

  std::optional<PlayedGrid> grid;

 private:
  void submit(int number, const Job& job, bool needs_licence) {
    const auto task = world::text_of({.seconds = static_cast<std::int64_t>(job.hours * kHour) - 120});
    const auto needs = needs_licence ? fmt::format(R"("needs": {{"{}": 1}}, )", world::kConsumable) : std::string{};
    const auto answer = grid->ask(
        "alice", "POST", "/v1/campaigns",
        fmt::format(
            R"({{"name": "job {}", "params": ["{}"], "exec_file": "task", {}"resources": "/nodes={}", "walltime": "{}:00:00", "clusters": {{"k00": {{}}}}}})",
            number, task, needs, job.nodes, job.hours));
    ASSERT_EQ(answer.status, 201U) << answer.body;
    campaigns_[number] = answer.json["id"].integer();
  }

  std::map<int, std::int64_t> campaigns_;
};

constexpr double kLate = 0.1;  ///< hours: what tasks are shorter than their walltimes, and cycles

TEST_F(FourJobs, Document001_OneAtATime_RunInThePlacesOfTheFirstTable) {
  play(1);
  EXPECT_NEAR(begin_of(123), 0, kLate);
  EXPECT_NEAR(begin_of(124), 2, kLate);
  EXPECT_NEAR(begin_of(125), 4, kLate);
  EXPECT_NEAR(begin_of(126), 5, kLate);
  expect_that_each_job_ran_once();
}

TEST_F(FourJobs, Document001_WithBackfill_RunInThePlacesOfTheSecondTable) {
  play(0);
  EXPECT_NEAR(begin_of(123), 0, kLate);
  EXPECT_NEAR(begin_of(124), 0, kLate);
  EXPECT_NEAR(begin_of(125), 2, kLate);
  EXPECT_NEAR(begin_of(126), 3, kLate);
  expect_that_each_job_ran_once();
}

}  // namespace
}  // namespace gleaner::tests
