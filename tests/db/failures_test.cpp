// Failed tasks by groups that failed alike.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <rapidcheck.h>

#include <array>
#include <pqxx/pqxx>

#include "lib/store/failures.hpp"
#include "tests/db/grid_fixture.hpp"

namespace gleaner::tests {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class FailureGroups : public GridFixture {
 protected:
  struct How {
    std::string line = {};
    grid::JobEnd end = grid::JobEnd::task_error;
    int status = 3;
  };
  void fail(const store::LiveJob& job, const How& how) {
    transact([&](store::Transaction& transaction) {
      store::Verdict verdict{.left = store::facts_for_settling(transaction, std::array{job.id}).at(0),
                             .exit_status = how.status << 8,
                             .started_at = now,
                             .ended_at = now + grid::Seconds{10},
                             .resources = 1};
      verdict.end = how.end;
      verdict.left.job.began = true;
      verdict.stderr_line = how.line;
      verdict.settlement = grid::settle(verdict.left.task, verdict.left.job, how.end, grid::Deletion::none,
                                        {.attempts = 50, .charged = 1, .walltime_factor = 1});
      store::settle_jobs(transaction, std::array{verdict}, now);
    });
  }
  std::vector<store::FailureGroup> groups(grid::CampaignId campaign) {
    std::vector<store::FailureGroup> found;
    transact([&](store::Transaction& t) { found = store::failure_groups(t, campaign); });
    return found;
  }
  /// `3 x <line> on <cluster>: 0 1 2`, the largest group first.
  std::vector<std::string> described(grid::CampaignId campaign) {
    std::vector<std::string> all;
    for (const auto& group : groups(campaign)) {
      std::string numbers;
      for (const auto number : group.first_tasks) numbers += fmt::format(" {}", number.value());
      all.push_back(fmt::format("{} x {}{} on {}:{}", group.tasks, group.ending,
                                group.stderr_line.empty() ? "" : fmt::format(" '{}' like '{}'", group.stderr_line, group.pattern),
                                group.cluster_name, numbers));
    }
    return all;
  }
  std::vector<grid::TaskNumber> retry(const store::FailedTasks& failed) {
    std::vector<grid::TaskNumber> tasks;
    transact([&](store::Transaction& t) { tasks = store::retry_failed_tasks(t, failed, now); });
    return tasks;
  }
};

TEST_F(FailureGroups, HaveTheTasksThatFailedAlike_NumbersOfTheirLinesAside) {
  const auto campaign = a_campaign(10);
  const auto there = launched(campaign, alpha, 5), elsewhere = launched(campaign, beta, 1);
  EXPECT_THAT(groups(campaign), IsEmpty());
  fail(there[0], {"No such file: mesh_88"});
  fail(there[1], {"No such file: mesh_9"});
  fail(there[2], {"No such file: mesh_9", grid::JobEnd::task_error, 4});
  fail(there[3], {"", grid::JobEnd::walltime});
  fail(elsewhere[0], {"No such file: mesh_9"});
  end(there[4], grid::JobEnd::done);
  EXPECT_THAT(described(campaign),
              ElementsAre("2 x task_error 'No such file: mesh_88' like 'No such file: mesh_#' on alpha: 0 1",
                          "1 x task_error 'No such file: mesh_9' like 'No such file: mesh_#' on alpha: 2", "1 x walltime on alpha: 3",
                          "1 x task_error 'No such file: mesh_9' like 'No such file: mesh_#' on beta: 5"));
  EXPECT_THAT(broken(), IsEmpty());
}

TEST_F(FailureGroups, LeaveAddressesAndDigestsAside_AsNumbers) {
  const auto campaign = a_campaign(2);
  const auto jobs = launched(campaign, alpha, 2);
  fail(jobs[0], {"double free at 0x7ffE12ab of 1c9fd2e0a4, line 12, by feed"});
  fail(jobs[1], {"double free at 0x00 of 77aabbccdd, line 3, by feed"});
  ASSERT_THAT(groups(campaign), SizeIs(1));
  EXPECT_EQ(groups(campaign)[0].pattern, "double free at # of #, line #, by feed");
}

TEST_F(FailureGroups, ThatOfAWalltime_IsOne_WhateverStatusOarGivesIt) {
  const auto campaign = a_campaign(2);
  const auto jobs = launched(campaign, alpha, 2);
  fail(jobs[0], {"", grid::JobEnd::walltime, 143});
  fail(jobs[1], {"", grid::JobEnd::walltime, 0});
  EXPECT_THAT(described(campaign), ElementsAre("2 x walltime on alpha: 0 1"));
  EXPECT_EQ(groups(campaign)[0].exit_status, std::nullopt);
}

TEST_F(FailureGroups, OneIsRetriedAlone_AndATaskThatFailsOtherwiseNextTimeChangesItsGroup) {
  const auto campaign = a_campaign(4);
  const auto jobs = launched(campaign, alpha, 4);
  for (const auto& job : jobs) fail(job, {job.task.value() < 3 ? "no space left" : "other"});
  const auto group = groups(campaign)[0].id;
  EXPECT_THAT(retry({.campaign = campaign, .most = 2, .group = group}), SizeIs(2));
  EXPECT_THAT(described(campaign), ElementsAre("1 x task_error 'no space left' like 'no space left' on alpha: 2",
                                               "1 x task_error 'other' like 'other' on alpha: 3"));
  for (const auto& job : launched(campaign, alpha, 2)) fail(job, {"other"});
  EXPECT_THAT(described(campaign), ElementsAre("3 x task_error 'other' like 'other' on alpha: 0 1 3",
                                               "1 x task_error 'no space left' like 'no space left' on alpha: 2"));
  EXPECT_THAT(retry({.campaign = campaign, .group = group}), SizeIs(1));
  EXPECT_THAT(described(campaign), SizeIs(1)) << "an empty group is none";
  EXPECT_THAT(retry({.campaign = campaign, .group = group}), IsEmpty());
  EXPECT_THAT(broken(), IsEmpty());
}

TEST_F(FailureGroups, AGroupOfAnotherCampaign_IsNone) {
  const auto mine = a_campaign(1), other = a_campaign(1);
  fail(launched(mine, alpha, 1)[0], {"mine"});
  fail(launched(other, alpha, 1)[0], {"other"});
  const auto group = groups(other)[0].id;
  EXPECT_THAT(retry({.campaign = mine, .group = group}), IsEmpty());
  transact([&](store::Transaction& t) {
    EXPECT_EQ(store::lock_failed_tasks(t, mine, group), std::nullopt);
    EXPECT_EQ(store::lock_failed_tasks(t, other, group), 1);
    EXPECT_EQ(store::lock_failed_tasks(t, mine, std::nullopt), 1);
  });
}

/// A program that writes another line each time makes no table without end.
TEST_F(FailureGroups, OfACampaign_AreBounded_AndNoTaskIsLeftOut) {
  constexpr int kTasks = 260;
  const auto campaign = a_campaign(kTasks);
  const auto jobs = launched(campaign, alpha, kTasks);
  const auto word_of = [](std::int64_t number) {
    return fmt::format("{}{}", static_cast<char>('a' + number / 26), static_cast<char>('a' + number % 26));
  };
  for (const auto& job : jobs) fail(job, {word_of(job.task.value())});
  const auto found = groups(campaign);
  EXPECT_EQ(found.size(), 201U);
  EXPECT_EQ(found[0].tasks, kTasks - 200) << "those that came too late, together";
  EXPECT_EQ(found[0].pattern, "");
  // Groups that are empty give way to new ones.
  EXPECT_THAT(retry({.campaign = campaign}), SizeIs(kTasks));
  for (const auto& job : launched(campaign, alpha, 2)) fail(job, {"new words"});
  EXPECT_THAT(described(campaign), ElementsAre("2 x task_error 'new words' like 'new words' on alpha: 0 1"));
  EXPECT_EQ(value("SELECT count(*) FROM failure_groups"), "1");
}

TEST_F(FailureGroups, ScriptsAreNoTasksOfOne) {
  const auto campaign = a_campaign(1);
  execute(fmt::format("INSERT INTO tasks (campaign_id, number, parameter, state, failure) VALUES ({}, -1, '', 'failed', NULL)",
                      campaign.value()));
  EXPECT_THAT(groups(campaign), IsEmpty());
}

TEST_F(FailureGroups, CountTheirTasks_AfterAnyHistory) {
  const std::vector<grid::CampaignId> campaigns{a_campaign(40), a_campaign(40)};
  for (const auto campaign : campaigns) {
    for (const auto& job : launched(campaign, alpha, 12)) fail(job, {fmt::format("{}", static_cast<char>('a' + job.task.value() % 3))});
  }
  const std::vector<std::string> states{"waiting", "running", "done", "failed", "cancelled"};
  const bool held = rc::check("each group counts its tasks", [&] {
    const auto first = *rc::gen::inRange<std::int64_t>(0, 12), last = *rc::gen::inRange<std::int64_t>(0, 12);
    // Queries set it for failed tasks alone; the trigger counts these, whatever they do.
    execute(
        fmt::format("UPDATE tasks SET state = '{}', failure = (SELECT min(id) + {} FROM failure_groups g WHERE g.campaign_id = "
                    "tasks.campaign_id) WHERE number BETWEEN {} AND {}",
                    *rc::gen::elementOf(states), *rc::gen::inRange(0, 3), first, last));
    RC_ASSERT(value(R"(
      SELECT count(*) FROM failure_groups g WHERE tasks <>
        (SELECT count(*) FROM tasks t WHERE t.campaign_id = g.campaign_id AND t.failure = g.id AND t.state = 'failed'))") == "0");
  });
  EXPECT_TRUE(held);
}

}  // namespace
}  // namespace gleaner::tests
