#include <fmt/format.h>
#include <gmock/gmock.h>

#include "lib/store/usage.hpp"
#include "tests/db/grid_fixture.hpp"

/// Usage by jobs, and its purpose: the trigger account_usage, and its report.
namespace gleaner::tests {
namespace {

using store::UsageKey;
using ::testing::SizeIs;

class UsageInDatabase : public GridFixture {
 protected:
  std::vector<store::UsageSum> report(std::vector<UsageKey> by, std::optional<std::string> user = {}) {
    auto transaction = database.begin();
    return store::usage_report(transaction, {.from = {}, .to = now + std::chrono::days{1}, .user = std::move(user), .by = std::move(by)},
                               {.limit = 100, .offset = 0})
        .items;
  }
  /// The booked sums as one line.
  std::string booked() {
    return value(
        "SELECT format('%s: %s useful, %s failed, %s lost; %s jobs, %s failed, %s lost; %s tasks', sum(resource_seconds), "
        "sum(useful_seconds), sum(failed_seconds), sum(lost_seconds), sum(jobs), sum(failed_jobs), sum(lost_jobs), sum(tasks)) FROM usage");
  }
};

TEST_F(UsageInDatabase, SecondsAndJobs_GoByTheEndsOfTheJobs) {
  const auto jobs = launched(a_campaign(20), alpha, 9);
  using enum grid::JobEnd;
  std::size_t next = 0;
  for (const auto ending : {done, done, task_error, walltime, rerun_last, preempted, killed_by_us, node_failure}) end(jobs[next++], ending);
  take_back(jobs[next]);
  EXPECT_EQ(booked(), "80: 20 useful, 30 failed, 30 lost; 8 jobs, 3 failed, 3 lost; 2 tasks") << "what only waited used nothing";
}

TEST_F(UsageInDatabase, AnEndThatIsWrittenTwice_CountsOnce) {
  const auto jobs = launched(a_campaign(4), alpha, 2);
  end(jobs[0], grid::JobEnd::done);
  const auto once = booked();
  EXPECT_EQ(once, "10: 10 useful, 0 failed, 0 lost; 1 jobs, 0 failed, 0 lost; 1 tasks");
  execute("UPDATE jobs SET ended_at = now(), ending = 'task_error' WHERE ended_at IS NOT NULL");
  EXPECT_EQ(booked(), once);
}

TEST_F(UsageInDatabase, AnEndWhoseTransactionIsLost_IsNeitherEndedNorCounted) {
  const auto jobs = launched(a_campaign(4), alpha, 1);
  const auto id = std::to_string(jobs[0].id.value());
  execute("ALTER TABLE usage ADD CONSTRAINT full_disk CHECK (resource_seconds < 0)");
  EXPECT_ANY_THROW(execute("UPDATE jobs SET state = 'terminated', ending = 'done', started_at = now(), ended_at = now() WHERE id = " + id));
  EXPECT_EQ(value("SELECT ended_at IS NULL FROM jobs WHERE id = " + id), "t");
  execute("ALTER TABLE usage DROP CONSTRAINT full_disk");
  end(jobs[0], grid::JobEnd::done);
  EXPECT_EQ(booked(), "10: 10 useful, 0 failed, 0 lost; 1 jobs, 0 failed, 0 lost; 1 tasks");
}

TEST_F(UsageInDatabase, Report_SumsByTheKeysThatAreAskedFor) {
  const auto one = a_campaign(4), other = a_campaign(4);
  execute("UPDATE campaigns SET user_name = 'bob', name = 'of bob' WHERE id = " + std::to_string(other.value()));
  for (const auto& job : launched(one, alpha, 2)) end(job, grid::JobEnd::done);
  for (const auto& job : launched(one, beta, 1)) end(job, grid::JobEnd::task_error);
  for (const auto& job : launched(other, alpha, 1)) end(job, grid::JobEnd::preempted);
  const auto all = report({});
  ASSERT_THAT(all, SizeIs(1));
  EXPECT_EQ(all[0].resource_seconds, 40);
  EXPECT_EQ(all[0].jobs, 4);
  EXPECT_FALSE(all[0].user || all[0].day || all[0].cluster || all[0].campaign || all[0].project);
  const auto by_user = report({UsageKey::user});
  ASSERT_THAT(by_user, SizeIs(2));
  EXPECT_EQ(by_user[0].user, "alice");
  EXPECT_EQ(by_user[0].useful_seconds, 20);
  EXPECT_EQ(by_user[0].failed_seconds, 10);
  EXPECT_EQ(by_user[1].user, "bob");
  EXPECT_EQ(by_user[1].lost_seconds, 10);
  EXPECT_EQ(by_user[1].lost_jobs, 1);
  const auto of_bob = report({UsageKey::campaign, UsageKey::cluster, UsageKey::day}, "bob");
  ASSERT_THAT(of_bob, SizeIs(1));
  EXPECT_EQ(of_bob[0].campaign, other.value());
  EXPECT_EQ(of_bob[0].campaign_name, "of bob");
  EXPECT_EQ(of_bob[0].cluster, "alpha");
  EXPECT_EQ(of_bob[0].day, value("SELECT max(day) FROM usage"));
  EXPECT_THAT(report({UsageKey::cluster, UsageKey::user}), SizeIs(3));
}

TEST_F(UsageInDatabase, Report_HasTheDaysAsked_AndItsPages) {
  execute(
      "INSERT INTO usage (day, user_name, project, cluster_id, resource_seconds) "
      "SELECT date '2026-01-01' + n, 'ada', '', 1, 100 FROM generate_series(0, 9) AS n");
  const auto first = grid::Instant{std::chrono::sys_days{std::chrono::year{2026} / 1 / 3}};
  auto transaction = database.begin();
  const store::UsageFilter filter{.from = first + std::chrono::hours{5}, .to = first + std::chrono::days{4}, .by = {UsageKey::day}};
  const auto page = store::usage_report(transaction, filter, {.limit = 2, .offset = 1});
  EXPECT_EQ(page.total, 5);
  ASSERT_THAT(page.items, SizeIs(2));
  EXPECT_EQ(page.items[0].day, "2026-01-04");
  EXPECT_EQ(page.items[0].resource_seconds, 100);
  EXPECT_EQ(page.items[0].useful_seconds + page.items[0].failed_seconds + page.items[0].lost_seconds, 0) << "booked before the parts were";
}

}  // namespace
}  // namespace gleaner::tests
