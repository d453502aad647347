#include <gtest/gtest.h>

#include <fmt/format.h>

#include "lib/store/detail.hpp"
#include "lib/store/planning.hpp"
#include "lib/store/views_tasks.hpp"
#include "tests/db/grid_fixture.hpp"

/// The rows that planning a launch reads, whatever the size of the grid.
namespace gleaner::tests {
namespace {

class ReadsOfALaunch : public GridFixture {};

/// A user gives back a whole campaign: everybody's plan waits for what a launch reads of it.
TEST_F(ReadsOfALaunch, AreAsManyReturnedTasksAsItTakes_HoweverManyThereAre) {
  constexpr int kTasks = 20'000;
  const auto campaign = a_campaign(kTasks, {"alpha"});
  const auto returned = [&](std::string_view request) {
    execute(
        fmt::format("DELETE FROM returned_tasks; UPDATE campaigns SET next_task = {1};"
                    "INSERT INTO returned_tasks (campaign_id, number, request, returned_at) SELECT {0}, n, {2}, instant(0) "
                    "FROM generate_series(100, {1} - 1) n",
                    campaign.value(), kTasks, request));
  };
  const auto read = [&] {
    std::int64_t rows = 0;
    transact([&](store::Transaction& t) {
      auto& work = t.implementation().work;
      const auto count = [&] {
        return work.exec("SELECT seq_tup_read + idx_tup_fetch FROM pg_stat_xact_user_tables WHERE relname = 'returned_tasks'")[0][0]
            .as<std::int64_t>();
      };
      const auto before = count();
      EXPECT_EQ(store::plan_launch(t, {.campaign = campaign, .cluster = alpha, .jobs = 10, .resources = 10}, term, now), 10);
      rows = count() - before;
    });
    return rows;
  };
  returned("NULL");
  EXPECT_LE(read(), 100);
  execute(
      fmt::format("UPDATE campaigns SET requests = 1; UPDATE tasks SET request = 0 WHERE number >= 100;"
                  "INSERT INTO request_bags VALUES ({0}, 0, {1}, 0);"
                  "INSERT INTO campaign_requests (campaign_id, cluster_id, request, shape, resources, resources_per_job, walltime_s) "
                  "VALUES ({0}, {2}, 0, 0, '/core=1', 1, 60)",
                  campaign.value(), kTasks, alpha.value()));
  returned("0");
  execute("DELETE FROM returned_tasks WHERE number < 110");
  EXPECT_LE(read(), 100) << "of one request among several";
}

/// A user opens a cause with few tasks, among many tasks that failed.
TEST_F(ReadsOfALaunch, OfTheListOfAGroupOfFailures_AreAsManyTasksAsThePageHas) {
  constexpr int kTasks = 20'000;
  const auto campaign = a_campaign(kTasks, {"alpha"});
  execute(fmt::format(
      "INSERT INTO failure_groups (campaign_id, cluster_id, ending, pattern, stderr_line) SELECT {0}, {1}, 'walltime', n, n FROM (VALUES "
      "('rare'), ('usual')) v (n);"
      "UPDATE tasks SET state = 'failed', failure = (SELECT id FROM failure_groups WHERE pattern = CASE WHEN number % 1000 = 999 THEN 'rare' "
      "ELSE 'usual' END); UPDATE campaigns SET next_task = {2}; ANALYZE tasks",
      campaign.value(), alpha.value(), kTasks));
  const auto read = [&](const std::string& pattern, std::int64_t from, std::size_t tasks) {
    const auto group = std::stoll(value(fmt::format("SELECT id FROM failure_groups WHERE pattern = '{}'", pattern)));
    std::int64_t rows = 0;
    transact([&](store::Transaction& t) {
      auto& work = t.implementation().work;
      const auto count = [&] {
        return work.exec("SELECT seq_tup_read + idx_tup_fetch FROM pg_stat_xact_user_tables WHERE relname = 'tasks'")[0][0]
            .as<std::int64_t>();
      };
      const auto of = store::views::campaign(t, campaign).value();
      const auto before = count();
      store::views::TaskFilter filter{.states = {grid::TaskState::failed}, .held = false, .failure = group, .from = from};
      EXPECT_EQ(store::views::tasks(t, of, filter, {10, 0}).items.size(), tasks) << pattern;
      rows = count() - before;
    });
    return rows;
  };
  EXPECT_LE(read("rare", 0, 10), 100);
  EXPECT_LE(read("rare", 15'000, 5), 100);
  EXPECT_LE(read("usual", 0, 10), 100);
  EXPECT_LE(read("usual", 19'000, 10), 100);
}

}  // namespace
}  // namespace gleaner::tests
