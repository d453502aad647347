#include <gtest/gtest.h>

#include <fmt/format.h>

#include <array>

#include "lib/store/campaigns.hpp"
#include "lib/store/chosen_tasks.hpp"
#include "lib/store/detail.hpp"
#include "lib/store/planning.hpp"
#include "lib/store/views_tasks.hpp"
#include "sql/queries.hpp"
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

/// Statistics that are older than a big campaign take it for a task or none, until PostgreSQL gathers them anew: a launch of 4000 tasks in
/// pools took 23 s of everybody's plan then, as each of a million tasks was compared with these.
class ReadsOfANewCampaign : public GridFixture {
 protected:
  ReadsOfANewCampaign() {
    known_ = a_campaign(kTasks, {"alpha"});
    give_back(known_, 100);
    execute("ANALYZE tasks; ANALYZE returned_tasks");
    campaign_ = a_campaign(kTasks, {"alpha"});
  }
  void give_back(grid::CampaignId campaign, int first) {
    execute(fmt::format(
        "INSERT INTO returned_tasks (campaign_id, number, returned_at) SELECT {0}, n, instant(0) FROM generate_series({1}, {2}) n; "
        "UPDATE campaigns SET next_task = total WHERE id = {0}",
        campaign.value(), first, kTasks - 1));
  }
  /// The rows of tasks and bags that this work reads.
  template <class Work>
  std::int64_t rows_of(Work&& work) {
    std::int64_t rows = 0;
    transact([&](store::Transaction& transaction) {
      const auto count = [&] {
        constexpr auto kRows =
            "SELECT sum(seq_tup_read + idx_tup_fetch)::bigint FROM pg_stat_xact_user_tables WHERE relname IN ('tasks', 'returned_tasks')";
        return transaction.implementation().work.exec(kRows)[0][0].template as<std::int64_t>();
      };
      const auto before = count();
      work(transaction);
      rows = count() - before;
    });
    return rows;
  }
  std::int64_t rows_of_a_launch() {
    return rows_of([&](store::Transaction& transaction) {
      EXPECT_EQ(store::plan_launch(transaction, {.campaign = campaign_, .cluster = alpha, .jobs = 10, .resources = 10}, term, now), 10);
    });
  }

  static constexpr int kTasks = 20'000;
  grid::CampaignId known_{0};
  grid::CampaignId campaign_{0};
};

TEST_F(ReadsOfANewCampaign, AreAsManyTasksAsALaunchTakes) {
  EXPECT_LE(rows_of_a_launch(), 100) << "new ones";
  give_back(campaign_, 10);
  execute("ANALYZE returned_tasks");
  EXPECT_LE(rows_of_a_launch(), 100) << "returned ones";
}

TEST_F(ReadsOfANewCampaign, AreAsManyTasksAsAPieceOfItsUsersWorkHas) {
  give_back(campaign_, 2000);
  const auto hold = [&](store::Transaction& transaction) {
    const std::array ranges{text::Range{0, 19}};
    EXPECT_EQ(store::hold_tasks(transaction, campaign_, ranges, "alice", now).value().held, 20);
  };
  EXPECT_LE(rows_of(hold), 500);
  execute("DELETE FROM returned_tasks");
  give_back(campaign_, 0);
  const auto cancel = [&](store::Transaction& transaction) { EXPECT_EQ(store::cancel_returned_tasks(transaction, campaign_, 20), 20); };
  EXPECT_LE(rows_of(cancel), 200);
  execute(fmt::format("DELETE FROM returned_tasks; UPDATE tasks SET state = 'failed' WHERE campaign_id = {} AND state = 'waiting'",
                      campaign_.value()));
  const auto retry = [&](store::Transaction& transaction) {
    EXPECT_EQ(store::retry_failed_tasks(transaction, {.campaign = campaign_, .most = 20}, now).size(), 20U);
  };
  EXPECT_LE(rows_of(retry), 200);
}

TEST_F(ReadsOfANewCampaign, AreAsManyTasksAsAPageOfThemHas_AlsoOfHeldOrFailedOnes) {
  constexpr std::int64_t kPage = 1000;
  const auto page_of = [&](const store::views::TaskFilter& filter) {
    return rows_of([&](store::Transaction& transaction) {
      const auto campaign = store::views::campaign(transaction, campaign_).value();
      EXPECT_EQ(store::views::tasks(transaction, campaign, filter, {.limit = kPage, .offset = 0}).items.size(), std::size_t{kPage});
    });
  };
  EXPECT_LE(page_of({.from = 5000}), 2 * kPage) << "any tasks";
  EXPECT_LE(page_of({.states = {grid::TaskState::waiting}, .from = 5000}), 2 * kPage) << "waiting ones";
  give_back(campaign_, 100);
  execute("UPDATE returned_tasks SET held_by = 'alice', held_at = now(); UPDATE campaigns SET held = total - 100");
  EXPECT_LE(page_of({.held = true}), kTasks + 5 * kPage) << "each held one once, as they are sorted";
  execute(fmt::format(
      "INSERT INTO failure_groups (campaign_id, cluster_id, ending, pattern, stderr_line) VALUES ({0}, {1}, 'walltime', '', ''); "
      "UPDATE tasks SET state = 'failed', failure = (SELECT max(id) FROM failure_groups) WHERE campaign_id = {0}",
      campaign_.value(), alpha.value()));
  EXPECT_LE(page_of({.failure = std::stoll(value("SELECT max(id) FROM failure_groups"))}), 5 * kPage);
}

TEST_F(ReadsOfANewCampaign, AreAsManyTasksAsAReleaseTaskByTaskLooksAt) {
  execute(
      fmt::format("INSERT INTO dependencies (campaign_id, on_campaign, kind, scan_to) VALUES ({0}, {1}, 'after_each', {2}); "
                  "UPDATE tasks SET state = 'done' WHERE campaign_id = {1} AND number < 20",
                  campaign_.value(), known_.value(), kTasks));
  const auto release = [&](store::Transaction& transaction) {
    const auto rows =
        store::detail::exec(transaction, sql::dependencies_release{.campaign = campaign_, .on = known_, .most = 20, .now = now});
    EXPECT_EQ(rows[0].released.as<std::int64_t>(), 20);
  };
  EXPECT_LE(rows_of(release), 500);
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
