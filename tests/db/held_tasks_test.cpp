#include <fmt/format.h>
#include <gmock/gmock.h>

#include "lib/store/checkpoints.hpp"
#include "lib/store/chosen_tasks.hpp"
#include "lib/store/declarations.hpp"
#include "lib/store/scripts.hpp"
#include "tests/db/dependencies_fixture.hpp"

/// Tasks that a user holds: outside of the bag, with their places in it.
namespace gleaner::tests {
namespace {

using ::testing::IsEmpty;
using text::Range;

class HeldTasks : public Dependencies {
 protected:
  store::HeldTasks hold(grid::CampaignId campaign, const std::vector<Range>& ranges, const std::string& user = "alice") {
    std::optional<store::HeldTasks> done;
    store::transact(database, std::nullopt, [&](store::Transaction& t) { done = store::hold_tasks(t, campaign, ranges, user, now); });
    return done.value_or(store::HeldTasks{.held = -1});
  }
  std::int64_t release_held(grid::CampaignId campaign, const std::vector<Range>& ranges) {
    std::optional<std::int64_t> done;
    store::transact(database, std::nullopt, [&](store::Transaction& t) { done = store::release_held_tasks(t, campaign, ranges, now); });
    return done.value_or(-1);
  }
  void cancel(grid::CampaignId campaign, const std::vector<Range>& ranges) {
    store::transact(database, std::nullopt, [&](store::Transaction& t) { EXPECT_TRUE(store::cancel_tasks(t, campaign, ranges)); });
  }
  int plan_on(grid::ClusterId cluster, grid::CampaignId campaign, int jobs) {
    int got = 0;
    transact([&](store::Transaction& t) {
      got = store::plan_launch(t, {.campaign = campaign, .cluster = cluster, .jobs = jobs, .resources = 1.0 * jobs}, term, now);
    });
    return got;
  }
  std::string tasks_in(grid::CampaignId campaign, const std::string& state) {
    return value(
        fmt::format("SELECT coalesce(string_agg(number::text, ' ' ORDER BY number), '') FROM tasks WHERE campaign_id = {} AND state = '{}'",
                    campaign.value(), state));
  }
  std::string held(grid::CampaignId campaign) {
    return value(
        fmt::format("SELECT coalesce(string_agg(number::text, ' ' ORDER BY number), '') FROM returned_tasks WHERE campaign_id = {} "
                    "AND held_by IS NOT NULL",
                    campaign.value()));
  }
  std::string of(grid::CampaignId campaign, const std::string& columns) {
    return value(fmt::format("SELECT concat_ws(' ', {}) FROM campaigns WHERE id = {}", columns, campaign.value()));
  }
  /// No law is broken, and the counters are those of the tasks.
  void expect_lawful(grid::CampaignId campaign) {
    EXPECT_EQ(counters(campaign), recount(campaign));
    EXPECT_THAT(broken(), IsEmpty());
  }
};

TEST_F(HeldTasks, Document004_JobHolds_AreNotPlannedUntilTheyAreReleased_AndTheCampaignIsNotOver) {
  const auto campaign = a_campaign(6);
  EXPECT_EQ(hold(campaign, {{1, 2}, {5, 5}}).held, 3);
  EXPECT_EQ(of(campaign, "waiting, held, skipped, next_task"), "6 3 3 0");
  EXPECT_EQ(plan_on(alpha, campaign, 6), 3);
  EXPECT_EQ(tasks_in(campaign, "launching"), "0 3 4");
  EXPECT_EQ(plan_on(alpha, campaign, 6), 0);
  expect_lawful(campaign);
  EXPECT_EQ(facts_of(campaign).waiting_tasks, 0);
  EXPECT_EQ(facts_of(campaign).on_hold_tasks, 3);
  ASSERT_TRUE(facts_of(campaign).hold);
  EXPECT_EQ(facts_of(campaign).hold->by, "alice");
  EXPECT_EQ(facts_of(campaign).hold->since, now);
  finish();
  EXPECT_EQ(of(campaign, "state"), "in_treatment");
  EXPECT_EQ(release_held(campaign, {{0, 5}}), 3);
  EXPECT_EQ(of(campaign, "waiting, held, skipped, next_task"), "3 0 0 5") << "task 5 is ahead of the cursor, as it was";
  expect_lawful(campaign);
  EXPECT_EQ(plan_on(alpha, campaign, 6), 3);
  EXPECT_EQ(tasks_in(campaign, "waiting"), "");
  expect_lawful(campaign);
}

TEST_F(HeldTasks, Requests_AreAnsweredWithWhatStays) {
  const auto campaign = a_campaign(6);
  const auto jobs = launched(campaign, alpha, 2);
  end(jobs[0], grid::JobEnd::done);
  hold(campaign, {{3, 3}});
  const auto done = hold(campaign, {{0, 3}}, "bob");
  EXPECT_EQ(done.held, 1);
  EXPECT_EQ(done.in_flight, 1);
  EXPECT_EQ(done.over, 1);
  EXPECT_EQ(done.before, 1);
  EXPECT_EQ(value("SELECT string_agg(number || held_by, ' ' ORDER BY number) FROM returned_tasks"), "2bob 3alice");
  EXPECT_EQ(release_held(campaign, {{0, 1}, {4, 5}}), 0);
  cancel(campaign, {{0, 5}});
  end(jobs[1], grid::JobEnd::preempted);
  finish();
  EXPECT_EQ(hold(campaign, {{0, 5}}).held, -1) << "it is over";
  EXPECT_EQ(release_held(campaign, {{0, 5}}), -1);
  expect_lawful(campaign);
}

TEST_F(HeldTasks, ThatWereGivenBack_KeepTheirPlaces) {
  const auto campaign = a_campaign(4);
  const auto jobs = launched(campaign, alpha, 2);
  end(jobs[0], grid::JobEnd::preempted, many_attempts);
  end(jobs[1], grid::JobEnd::preempted, many_attempts);
  execute(fmt::format("UPDATE returned_tasks SET cluster_id = {}, priority = 3 WHERE number = 1", alpha.value()));
  const auto place = "SELECT concat_ws(' ', number, priority, cluster_id) FROM returned_tasks WHERE number = 1";
  const auto before = value(place);
  EXPECT_EQ(hold(campaign, {{0, 3}}).held, 4);
  EXPECT_EQ(plan_on(alpha, campaign, 4), 0);
  expect_lawful(campaign);
  EXPECT_EQ(release_held(campaign, {{0, 3}}), 4);
  EXPECT_EQ(value(place), before);
  EXPECT_EQ(of(campaign, "held, skipped, next_task"), "0 0 2");
  expect_lawful(campaign);
  EXPECT_EQ(plan_on(beta, campaign, 4), 3) << "task 1 is bound to alpha";
  EXPECT_EQ(tasks_in(campaign, "waiting"), "1");
}

/// A launch without an answer, which is void: its tasks are bound to the cluster by its fence.
TEST_F(HeldTasks, WhoseLateJobIsFound_AreHeldNoMore_AndOthersAreReleasedWithTheirLaunch) {
  const auto campaign = a_campaign(2);
  const auto launch = begun(campaign, alpha, 2);
  std::vector<store::LaunchLine> lines;
  transact([&](store::Transaction& t) { lines = store::launch_lines(t, launch); });
  ASSERT_EQ(lines.size(), 2U);
  transact([&](store::Transaction& t) {
    EXPECT_TRUE(store::give_back(t, {.launch = launch, .from = grid::LaunchState::launching, .error = "lost"}, many_attempts, now));
  });
  ASSERT_EQ(tasks_in(campaign, "waiting"), "0 1");
  EXPECT_EQ(hold(campaign, {{0, 1}}).held, 2);
  EXPECT_EQ(value("SELECT count(*) FROM returned_tasks WHERE held_by IS NOT NULL AND fence IS NOT NULL"), "2");
  expect_lawful(campaign);
  const auto& line = lines.front();
  const grid::FoundJob job{line.job, grid::RemoteJobId{7}, {campaign, line.task, line.attempt, line.job}};
  transact([&](store::Transaction& t) { EXPECT_EQ(store::adopt_jobs(t, launch, std::array{job}, std::nullopt, now), 1); });
  EXPECT_EQ(tasks_in(campaign, "submitted"), "0");
  EXPECT_EQ(of(campaign, "held"), "1");
  expect_lawful(campaign);
  transact([&](store::Transaction& t) { EXPECT_EQ(store::release_tasks(t, launch, now).size(), 1U); });
  EXPECT_EQ(held(campaign), "1");
  expect_lawful(campaign);
  EXPECT_EQ(release_held(campaign, {{0, 1}}), 1);
  EXPECT_EQ(plan_on(beta, campaign, 2), 1);
  expect_lawful(campaign);
}

TEST_F(HeldTasks, ThatTheCursorHasPassed_ComeBackAsReturnedTasks) {
  const auto campaign = a_campaign(5);
  hold(campaign, {{1, 1}, {4, 4}});
  EXPECT_EQ(plan_on(alpha, campaign, 2), 2);
  EXPECT_EQ(tasks_in(campaign, "launching"), "0 2");
  EXPECT_EQ(of(campaign, "next_task, skipped"), "3 1");
  EXPECT_EQ(release_held(campaign, {{1, 1}}), 1);
  EXPECT_EQ(plan_on(alpha, campaign, 1), 1);
  EXPECT_EQ(tasks_in(campaign, "launching"), "0 1 2") << "returned tasks go first";
  expect_lawful(campaign);
  EXPECT_EQ(plan_on(alpha, campaign, 5), 1);
  EXPECT_EQ(release_held(campaign, {{4, 4}}), 1);
  EXPECT_EQ(plan_on(alpha, campaign, 5), 1);
  expect_lawful(campaign);
}

TEST_F(HeldTasks, WithRequestsOfTheirOwn_LeaveTheBagsOfThese_AndComeBack) {
  const auto campaign = asking_different_things(6);
  EXPECT_EQ(hold(campaign, {{0, 0}, {3, 5}}).held, 4);
  EXPECT_EQ(of(campaign, "held, skipped, next_task"), "4 0 4");
  expect_lawful(campaign);
  EXPECT_EQ(facts_of(campaign).waiting_tasks, 2);
  const auto by_request = [&] {
    int got = 0;
    transact([&](store::Transaction& t) {
      got = store::plan_launch(t, {.campaign = campaign, .cluster = alpha, .jobs = 6, .resources = 100}, term, now);
    });
    return got;
  };
  EXPECT_EQ(by_request() + by_request() + by_request(), 2);
  EXPECT_EQ(tasks_in(campaign, "launching"), "1 2");
  EXPECT_EQ(release_held(campaign, {{0, 5}}), 4);
  expect_lawful(campaign);
  EXPECT_EQ(by_request() + by_request(), 4);
  EXPECT_EQ(of(campaign, "held, skipped, next_task"), "0 0 6");
  expect_lawful(campaign);
}

/// store::plan_launch passes 100000 of them.
TEST_F(HeldTasks, ManyInARow_AreLeftBehindByAFewLaunches_EachOfWhichPassesABoundedNumber) {
  const auto campaign = a_campaign(250'002);
  EXPECT_EQ(hold(campaign, {{0, 249'999}}).held, 250'000);
  cancel(campaign, {{90'000, 110'000}});
  EXPECT_EQ(plan_on(alpha, campaign, 2), 0);
  EXPECT_EQ(of(campaign, "next_task, skipped"), "100000 150000");
  expect_lawful(campaign);
  EXPECT_EQ(plan_on(beta, campaign, 0), 0);
  EXPECT_EQ(of(campaign, "next_task, skipped"), "100000 150000") << "nothing was looked for";
  EXPECT_EQ(plan_on(alpha, campaign, 1), 0);
  EXPECT_EQ(plan_on(alpha, campaign, 1), 1);
  EXPECT_EQ(tasks_in(campaign, "launching"), "250000");
  expect_lawful(campaign);
  EXPECT_EQ(release_held(campaign, {{5, 6}, {249'999, 249'999}}), 3);
  EXPECT_EQ(plan_on(alpha, campaign, 9), 4);
  EXPECT_EQ(tasks_in(campaign, "launching"), "5 6 249999 250000 250001");
  expect_lawful(campaign);
}

TEST_F(HeldTasks, ThatAreCancelled_AloneOrWithTheirCampaign_AreCountedOnce) {
  const auto campaign = a_campaign(8);
  for (const auto& job : launched(campaign, alpha, 2)) end(job, grid::JobEnd::preempted, many_attempts);
  EXPECT_EQ(hold(campaign, {{0, 5}}).held, 6);
  cancel(campaign, {{1, 2}});
  EXPECT_EQ(of(campaign, "waiting, cancelled, held, skipped"), "6 2 4 4");
  expect_lawful(campaign);
  store::transact(database, std::nullopt, [&](store::Transaction& t) { EXPECT_TRUE(store::cancel_campaign(t, campaign, now)); });
  EXPECT_EQ(of(campaign, "waiting, cancelled, held, skipped, next_task"), "0 8 0 0 8");
  EXPECT_EQ(value("SELECT count(*) FROM returned_tasks"), "0");
  EXPECT_THAT(broken(), IsEmpty());
}

TEST_F(HeldTasks, ThatWaitForOthers_ComeIntoTheBagWhenTheyAreReleasedAndFree) {
  const auto first = a_campaign(4);
  const auto second = after(first, grid::DependencyKind::after_each, 4);
  EXPECT_EQ(hold(second, {{0, 2}}).held, 3);
  EXPECT_EQ(of(second, "waiting, held"), "4 3");
  EXPECT_EQ(facts_of(second).held_tasks, 1) << "by the other campaign alone";
  expect_lawful(second);
  const auto jobs = launched(first, alpha, 4);
  end(jobs[0], grid::JobEnd::done);
  end(jobs[1], grid::JobEnd::done);
  end(jobs[3], grid::JobEnd::done);
  EXPECT_EQ(bag(second), "0 1 2 3");
  EXPECT_EQ(held(second), "0 1 2");
  EXPECT_EQ(plan(second, 4), 1);
  EXPECT_EQ(tasks_in(second, "launching"), "3");
  EXPECT_EQ(release_held(second, {{1, 2}}), 2);
  expect_lawful(second);
  EXPECT_EQ(plan(second, 4), 1) << "task 2 waits for the other campaign's still";
  EXPECT_EQ(tasks_in(second, "launching"), "1 3");
  end(jobs[2], grid::JobEnd::done);
  finish();
  EXPECT_EQ(of(first, "state"), "terminated");
  EXPECT_EQ(plan(second, 4), 1);
  EXPECT_EQ(held(second), "0");
  release();
  EXPECT_EQ(release_held(second, {{0, 3}}), 1) << "its dependency is met, and has nothing left to release";
  expect_lawful(second);
  EXPECT_EQ(plan(second, 4), 1);
  EXPECT_EQ(tasks_in(second, "waiting"), "");
  expect_lawful(second);
}

TEST_F(HeldTasks, WhosePredecessorIsDoneAnew_StayHeld_AndWaitForIt) {
  const auto first = a_campaign(2);
  const auto second = after(first, grid::DependencyKind::after_each, 2);
  const auto jobs = launched(first, alpha, 2);
  end(jobs[0], grid::JobEnd::done);
  EXPECT_EQ(bag(second), "0");
  EXPECT_EQ(hold(second, {{0, 0}}).held, 1);
  transact([&](store::Transaction& t) { EXPECT_EQ(store::hold_again(t, first, std::array{grid::TaskNumber{0}}).waiting, 1); });
  execute(fmt::format("UPDATE tasks SET state = 'running' WHERE campaign_id = {} AND number = 0", first.value()));
  EXPECT_EQ(held(second), "0");
  EXPECT_EQ(release_held(second, {{0, 1}}), 1);
  EXPECT_EQ(plan(second, 2), 0) << "it is not done";
  EXPECT_EQ(of(second, "waiting, held"), "2 0");
  EXPECT_EQ(value(fmt::format("SELECT count(*) FROM returned_tasks WHERE campaign_id = {}", second.value())), "0");
}

TEST_F(HeldTasks, OfACluster_AreNotFreedByTheTime_ButByItsRetirement) {
  const auto campaign = a_campaign(2);
  for (const auto& job : launched(campaign, alpha, 2)) end(job, grid::JobEnd::preempted, many_attempts);
  execute(fmt::format("UPDATE returned_tasks SET cluster_id = {}", alpha.value()));
  EXPECT_EQ(hold(campaign, {{0, 0}}).held, 1);
  now += std::chrono::hours{100};
  transact([&](store::Transaction& t) { static_cast<void>(store::release_kept_tasks(t, now, now)); });
  EXPECT_EQ(value("SELECT string_agg(number::text, ' ') FROM returned_tasks WHERE cluster_id IS NOT NULL"), "0");
  execute(fmt::format("UPDATE clusters SET retired_at = now() WHERE id = {}", alpha.value()));
  transact([&](store::Transaction& t) { store::release_bound_tasks(t, alpha, {.name = "root", .reason = "gone"}, now); });
  EXPECT_EQ(value("SELECT count(*) FROM returned_tasks WHERE cluster_id IS NOT NULL"), "0");
  EXPECT_EQ(held(campaign), "0");
  expect_lawful(campaign);
}

TEST_F(HeldTasks, ThatAreAllOfACampaign_StartNoPrologue) {
  const auto campaign = a_campaign(3);
  execute("UPDATE campaign_clusters SET prologue = 'true', prologue_walltime_s = 60");
  const auto waiting = [&] {
    std::int64_t tasks = -1;
    transact([&](store::Transaction& t) {
      for (const auto& pair : store::script_pairs(t, now)) tasks = pair.facts.waiting_tasks;
    });
    return tasks;
  };
  EXPECT_EQ(waiting(), 3);
  hold(campaign, {{0, 2}});
  EXPECT_EQ(waiting(), 0);
  release_held(campaign, {{2, 2}});
  EXPECT_EQ(waiting(), 1);
}

}  // namespace
}  // namespace gleaner::tests
