#include "lib/store/chosen_tasks.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <atomic>
#include <random>
#include <set>
#include <thread>

#include "lib/store/kills.hpp"
#include "tests/db/grid_fixture.hpp"
#include "tests/seed.hpp"

/// Actions of a user on single tasks of a campaign.
namespace gleaner::tests {
namespace {

using ::testing::IsEmpty;
using text::Range;

class ChosenTasks : public GridFixture {
 protected:
  store::CancelledTasks cancel(grid::CampaignId campaign, const std::vector<Range>& ranges) {
    std::optional<store::CancelledTasks> done;
    store::transact(database, std::nullopt, [&](store::Transaction& t) { done = store::cancel_tasks(t, campaign, ranges); });
    return done.value_or(store::CancelledTasks{-1, -1});
  }
  std::int64_t retry(grid::CampaignId campaign, Range range) {
    std::int64_t tasks = 0;
    store::transact(database, std::nullopt, [&](store::Transaction& t) {
      tasks = std::ssize(store::retry_failed_tasks(t, {.campaign = campaign, .range = range}, now));
    });
    return tasks;
  }
  int plan(grid::CampaignId campaign, grid::ClusterId cluster, int jobs) {
    int got = 0;
    transact([&](store::Transaction& t) {
      got = store::plan_launch(t, {.campaign = campaign, .cluster = cluster, .jobs = jobs, .resources = 1.0 * jobs}, term, now);
    });
    return got;
  }
  void kill_requests() {
    transact([&](store::Transaction& t) {
      store::request_kills_of_cancelled(t, now);
      store::request_kills_of_cancelled_tasks(t, now);
      store::request_kills_of_superseded(t, now);
    });
  }
  /// The tasks of a state, by number.
  std::string tasks_in(grid::CampaignId campaign, const std::string& state) {
    return value(
        fmt::format("SELECT coalesce(string_agg(number::text, ' ' ORDER BY number), '') FROM tasks WHERE campaign_id = {} AND state = '{}'",
                    campaign.value(), state));
  }
  std::string of(grid::CampaignId campaign, const std::string& columns) {
    return value(fmt::format("SELECT concat_ws(' ', {}) FROM campaigns WHERE id = {}", columns, campaign.value()));
  }
};

TEST_F(ChosenTasks, ThatWait_LeaveTheBagAtOnce_AndAreNeverPlanned) {
  const auto campaign = a_campaign(10);
  const auto done = cancel(campaign, {{2, 5}, {8, 8}});
  EXPECT_EQ(done.waiting, 5);
  EXPECT_EQ(done.in_flight, 0);
  EXPECT_EQ(of(campaign, "waiting, cancelled, next_task, skipped"), "5 5 0 5");
  EXPECT_EQ(plan(campaign, alpha, 4), 4);
  EXPECT_EQ(tasks_in(campaign, "launching"), "0 1 6 7");
  EXPECT_EQ(of(campaign, "next_task, skipped"), "8 1");
  EXPECT_EQ(plan(campaign, beta, 4), 1);
  EXPECT_EQ(tasks_in(campaign, "launching"), "0 1 6 7 9");
  EXPECT_EQ(of(campaign, "waiting, next_task, skipped"), "0 10 0");
  EXPECT_EQ(counters(campaign), recount(campaign));
  EXPECT_THAT(broken(), IsEmpty());
}

TEST_F(ChosenTasks, ThatAreCancelledTwice_AreCountedOnce) {
  const auto campaign = a_campaign(4);
  EXPECT_EQ(cancel(campaign, {{1, 2}}).waiting, 2);
  EXPECT_EQ(cancel(campaign, {{0, 3}}).waiting, 2);
  EXPECT_EQ(cancel(campaign, {{0, 3}}).waiting, 0);
  EXPECT_EQ(plan(campaign, alpha, 4), 0);
  EXPECT_EQ(of(campaign, "waiting, cancelled, skipped"), "0 4 4");
  transact([&](store::Transaction& t) { EXPECT_EQ(store::finish_campaigns(t, now).size(), 1U); });
  EXPECT_EQ(cancel(campaign, {{0, 3}}).waiting, -1) << "it is over";
  EXPECT_THAT(broken(), IsEmpty());
}

TEST_F(ChosenTasks, OfACampaignThatIsCancelledLater_AreCountedOnce) {
  const auto campaign = a_campaign(6);
  cancel(campaign, {{3, 4}});
  store::transact(database, std::nullopt, [&](store::Transaction& t) { EXPECT_TRUE(store::cancel_campaign(t, campaign, now)); });
  EXPECT_EQ(of(campaign, "waiting, cancelled, next_task, skipped"), "0 6 6 0");
  EXPECT_THAT(broken(), IsEmpty());
}

TEST_F(ChosenTasks, WithAJob_AreKilledAlone_AndEndCancelled) {
  const auto campaign = a_campaign(5);
  const auto jobs = launched(campaign, alpha, 3);
  EXPECT_EQ(cancel(campaign, {{1, 1}}).in_flight, 1);
  EXPECT_EQ(cancel(campaign, {{1, 1}}).in_flight, 0) << "it is being cancelled";
  EXPECT_EQ(tasks_in(campaign, "cancelled"), "");
  kill_requests();
  EXPECT_EQ(value("SELECT string_agg(job_id || ' ' || reason, ', ') FROM kill_requests"),
            fmt::format("{} task_cancelled", jobs[1].id.value()))
      << "and no array is deleted whole";
  take_back(jobs[1]);
  EXPECT_EQ(tasks_in(campaign, "cancelled"), "1");
  EXPECT_EQ(stored.returned_tasks().size(), 0U);
  EXPECT_EQ(value("SELECT count(*) FROM tasks WHERE cancelling"), "0");
  EXPECT_EQ(counters(campaign), recount(campaign));
  EXPECT_THAT(broken(), IsEmpty());
}

TEST_F(ChosenTasks, WhoseJobIsQuickerThanItsKill_AreDone_AndOneThatFailsIsCancelled) {
  const auto campaign = a_campaign(2);
  const auto jobs = launched(campaign, alpha, 2);
  EXPECT_EQ(cancel(campaign, {{0, 1}}).in_flight, 2);
  end(jobs[0], grid::JobEnd::done);
  end(jobs[1], grid::JobEnd::preempted);
  EXPECT_EQ(tasks_in(campaign, "done"), "0");
  EXPECT_EQ(tasks_in(campaign, "cancelled"), "1");
  EXPECT_THAT(broken(), IsEmpty());
}

TEST_F(ChosenTasks, ThatWereGivenBack_LeaveTheBagToo) {
  const auto campaign = a_campaign(6);
  for (const auto& job : launched(campaign, alpha, 3)) end(job, grid::JobEnd::preempted);
  EXPECT_EQ(cancel(campaign, {{1, 4}}).waiting, 4);
  EXPECT_EQ(stored.returned_numbers(), (std::vector<std::int64_t>{0}));
  EXPECT_EQ(of(campaign, "waiting, cancelled, next_task, skipped"), "2 4 3 2") << "tasks 3 and 4 are ahead of the cursor";
  EXPECT_THAT(broken(), IsEmpty());
}

TEST_F(ChosenTasks, OfALaunchWithoutAnAnswer_AreCancelledWhateverBecomesOfIt) {
  const auto campaign = a_campaign(2);
  const auto launch = begun(campaign, alpha, 2);
  EXPECT_EQ(cancel(campaign, {{0, 0}}).in_flight, 1);
  transact([&](store::Transaction& t) {
    store::give_back(
        t, {.launch = launch, .from = grid::LaunchState::launching, .to = grid::LaunchState::void_, .sent = grid::Sent::maybe, .error = ""},
        many_attempts, now);
  });
  EXPECT_EQ(tasks_in(campaign, "cancelled"), "0");
  EXPECT_EQ(value("SELECT string_agg(number::text, ' ') FROM returned_tasks"), "1");
  EXPECT_THAT(broken(), IsEmpty());
}

TEST_F(ChosenTasks, OfDifferentRequests_LeaveTheBagsOfTheirRequests) {
  const auto campaign = asking_different_things(10);
  EXPECT_EQ(cancel(campaign, {{0, 4}}).waiting, 5);
  EXPECT_EQ(value("SELECT string_agg(concat_ws(' ', request, untaken), ', ' ORDER BY request) FROM request_bags"), "1 2, 2 3");
  EXPECT_THAT(broken(), IsEmpty());
  EXPECT_EQ(plan(campaign, alpha, 2), 2);
  EXPECT_EQ(plan(campaign, beta, 9) + plan(campaign, beta, 9), 3);
  EXPECT_EQ(tasks_in(campaign, "launching"), "5 6 7 8 9");
  EXPECT_EQ(counters(campaign), recount(campaign));
  EXPECT_THAT(broken(), IsEmpty());
}

TEST_F(ChosenTasks, ThatFailed_AreRetried_AndNoOthers) {
  const auto campaign = a_campaign(4);
  for (const auto& job : launched(campaign, alpha, 4)) end(job, grid::JobEnd::task_error);
  transact([&](store::Transaction& t) { EXPECT_EQ(store::finish_campaigns(t, now).size(), 1U); });
  EXPECT_EQ(retry(campaign, {1, 2}), 2);
  EXPECT_EQ(tasks_in(campaign, "failed"), "0 3");
  EXPECT_EQ(of(campaign, "state"), "in_treatment");
  EXPECT_EQ(retry(campaign, {1, 2}), 0);
  EXPECT_EQ(of(campaign, "waiting, failed"), "2 2");
  EXPECT_THAT(broken(), IsEmpty());
}

TEST_F(ChosenTasks, RetriedInATerminatedCampaignWhereNoneOfThemFailed_LeaveItTerminated) {
  const auto campaign = a_campaign(2);
  const auto jobs = launched(campaign, alpha, 2);
  end(jobs[0], grid::JobEnd::done);
  end(jobs[1], grid::JobEnd::task_error);
  transact([&](store::Transaction& t) { EXPECT_EQ(store::finish_campaigns(t, now).size(), 1U); });
  EXPECT_EQ(retry(campaign, {0, 0}), 0);
  EXPECT_EQ(of(campaign, "state"), "terminated");
}

TEST_F(ChosenTasks, MaxFails_PausesTheCampaign_AndCountsAnewFromItsResume) {
  const auto campaign = a_campaign(20);
  execute(R"(UPDATE campaigns SET jdl = '{"max_fails": 0.1}')");
  const auto fail = [&](int tasks) {
    for (const auto& job : launched(campaign, alpha, tasks)) end(job, grid::JobEnd::task_error);
    std::int64_t paused = 0;
    transact([&](store::Transaction& t) { paused = store::pause_failing_campaigns(t, now); });
    return paused;
  };
  EXPECT_EQ(fail(2), 0) << "2 of 20 are allowed";
  EXPECT_EQ(fail(1), 1);
  EXPECT_EQ(of(campaign, "state"), "paused");
  EXPECT_EQ(
      value("SELECT message FROM events WHERE code = 'MAX_FAILS' AND state = 'open'"),
      fmt::format("3 tasks failed, more than it allows (max_fails: 10%, which is 2 of 20): it is paused, and its jobs continue. 'gridsub "
                  "--resume {}' goes on, and counts from 0 again",
                  campaign.value()));
  store::transact(database, std::nullopt, [&](store::Transaction& t) { EXPECT_TRUE(store::resume_campaign(t, campaign, now)); });
  EXPECT_EQ(stored.open_events().size(), 0U);
  EXPECT_EQ(fail(2), 0);
  EXPECT_EQ(of(campaign, "state, failed"), "in_treatment 5");
  EXPECT_EQ(fail(1), 1);
  EXPECT_THAT(value("SELECT message FROM events WHERE state = 'open'"), ::testing::StartsWith("3 tasks failed since it was resumed, "));
  // Tasks that run again are not forgiven any more.
  EXPECT_EQ(retry(campaign, store::kAllTasks), 6);
  store::transact(database, std::nullopt, [&](store::Transaction& t) { EXPECT_TRUE(store::resume_campaign(t, campaign, now)); });
  EXPECT_EQ(of(campaign, "forgiven, failed"), "0 0");
  EXPECT_EQ(fail(3), 1);
}

TEST_F(ChosenTasks, MaxFailsOfNoTask_PausesAtTheFirstOne_AndWithoutTheKeyNothingDoes) {
  const auto strict = a_campaign(3);
  const auto lenient = a_campaign(3);
  execute(fmt::format(R"(UPDATE campaigns SET jdl = '{{"max_fails": 0}}' WHERE id = {})", strict.value()));
  transact([&](store::Transaction& t) { EXPECT_EQ(store::pause_failing_campaigns(t, now), 0); });
  for (const auto campaign : {strict, lenient}) end(launched(campaign, alpha, 1).front(), grid::JobEnd::task_error);
  transact([&](store::Transaction& t) { EXPECT_EQ(store::pause_failing_campaigns(t, now), 1); });
  EXPECT_EQ(of(strict, "state"), "paused");
  EXPECT_EQ(of(lenient, "state"), "in_treatment");
}

/// A user who cancels and retries tasks at random, beside a grid at work.
class TasksAtRandom : public ChosenTasks, public ::testing::WithParamInterface<bool> {
 protected:
  int below(int bound) { return std::uniform_int_distribution{0, bound - 1}(random); }
  Range some_tasks(int tasks) {
    const auto first = below(tasks);
    return {first, std::min<std::int64_t>(tasks - 1, first + below(6))};
  }
  void launch(grid::ClusterId cluster) {
    std::vector<store::LaunchToMake> planned;
    transact([&](store::Transaction& t) { planned = store::planned_launches(t, cluster); });
    for (const auto& one : planned) {
      transact([&](store::Transaction& t) {
        ASSERT_TRUE(store::begin_launch(t, {.launch = one.id, .tag = fmt::format("tag-{}", one.id.value()), .login = "alice"}, term, now));
        if (below(4) == 0)
          return static_cast<void>(store::give_back(t,
                                                    {.launch = one.id,
                                                     .from = grid::LaunchState::launching,
                                                     .to = grid::LaunchState::void_,
                                                     .sent = below(2) == 0 ? grid::Sent::never : grid::Sent::maybe,
                                                     .error = ""},
                                                    many_attempts, now));
        std::vector<store::AcceptedJob> accepted;
        for (const auto& line : store::launch_lines(t, one.id)) accepted.push_back({line.job, grid::RemoteJobId{next_remote++}});
        store::accept_launch(t, one.id, accepted, std::nullopt, now);
      });
    }
  }
  void end_some(grid::ClusterId cluster) {
    constexpr std::array kEnds{grid::JobEnd::done, grid::JobEnd::done, grid::JobEnd::task_error, grid::JobEnd::preempted};
    std::vector<store::LiveJob> live;
    transact([&](store::Transaction& t) { live = store::live_jobs(t, cluster); });
    for (const auto& job : live) {
      const bool to_kill = value(fmt::format("SELECT count(*) FROM kill_requests WHERE job_id = {}", job.id.value())) == "1";
      if (to_kill && below(2) == 0) take_back(job);
      else if (below(2) == 0) end(job, kEnds[static_cast<std::size_t>(below(4))]);
    }
  }
  std::mt19937_64 random{test_seed()};
};

TEST_P(TasksAtRandom, KeepTheLawsOfTheDatabase_AndACancelledOneNeverGetsAJob) {
  constexpr int kTasks = 60;
  const auto campaign = GetParam() ? asking_different_things(kTasks) : a_campaign(kTasks);
  std::set<std::int64_t> gone;
  for (int round = 0; round < 60; ++round) {
    const auto cluster = round % 2 == 0 ? alpha : beta;
    static_cast<void>(plan(campaign, cluster, 1 + below(6)));
    if (below(3) == 0) cancel(campaign, {some_tasks(kTasks)});
    launch(cluster);
    if (below(4) == 0) cancel(campaign, {some_tasks(kTasks)});
    kill_requests();
    end_some(cluster);
    if (below(5) == 0) retry(campaign, some_tasks(kTasks));
    for (const auto task : gone) {
      ASSERT_EQ(value(fmt::format("SELECT state FROM tasks WHERE campaign_id = {} AND number = {}", campaign.value(), task)), "cancelled");
      ASSERT_EQ(value(fmt::format("SELECT count(*) FROM jobs WHERE task = {} AND state = 'planned'", task)), "0");
    }
    const auto states = tasks_in(campaign, "cancelled");
    for (std::size_t at = 0; at < states.size();) {
      const auto end = std::min(states.find(' ', at), states.size());
      gone.insert(std::stoll(states.substr(at, end - at)));
      at = end + 1;
    }
    ASSERT_EQ(counters(campaign), recount(campaign)) << "round " << round;
    if (round % 6 == 5) {
      ASSERT_THAT(broken(), IsEmpty()) << "round " << round;
    }
  }
  EXPECT_THAT(gone, ::testing::Not(IsEmpty()));
}
INSTANTIATE_TEST_SUITE_P(OfACampaign, TasksAtRandom, ::testing::Bool(),
                         [](const auto& one) { return one.param ? "OfDifferentRequests" : "OfOneRequest"; });

TEST_P(TasksAtRandom, CancelledWhileTheyArePlanned_AreEitherPlannedOrCancelled) {
  constexpr int kTasks = 400;
  const auto campaign = GetParam() ? asking_different_things(kTasks) : a_campaign(kTasks);
  std::atomic<bool> planned_all{false};
  std::thread user{[&] {
    store::Database own{conninfo};
    std::mt19937_64 numbers{seed_of_run()};
    for (int i = 0; i < 120 && !planned_all; ++i) {
      const auto first = static_cast<std::int64_t>(numbers() % kTasks);
      const std::vector<Range> ranges{{first, std::min<std::int64_t>(kTasks - 1, first + 3)}};
      store::transact(own, std::nullopt, [&](store::Transaction& t) { static_cast<void>(store::cancel_tasks(t, campaign, ranges)); });
    }
  }};
  for (int i = 0; i < 200; ++i) static_cast<void>(plan(campaign, i % 2 == 0 ? alpha : beta, 3));
  planned_all = true;
  user.join();
  EXPECT_EQ(counters(campaign), recount(campaign));
  EXPECT_EQ(value("SELECT count(*) FROM tasks t WHERE state = 'cancelled' AND EXISTS (SELECT FROM jobs j WHERE j.task = t.number)"), "0");
  EXPECT_THAT(broken(), IsEmpty());
}

}  // namespace
}  // namespace gleaner::tests
