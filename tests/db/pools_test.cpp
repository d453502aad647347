#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>

#include "lib/store/chosen_tasks.hpp"
#include "lib/store/clean.hpp"
#include "lib/store/kills.hpp"
#include "lib/store/planning.hpp"
#include "tests/db/pools_fixture.hpp"

namespace gleaner::tests {
namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;

TEST_F(PoolsInDatabase, APool_HasItsJobsForTheFirstTasks_AndTheOthersAreInTheirHands) {
  const auto campaign = a_campaign(20);
  a_pool(campaign, 3, 9);
  EXPECT_EQ(value("SELECT string_agg(task || ' ' || state, ', ' ORDER BY task) FROM jobs WHERE task IN (0, 2, 3, 11)"),
            "0 remote_waiting, 2 remote_waiting, 3 pooled, 11 pooled");
  EXPECT_EQ(pair("launching || ' ' || waiting || ' ' || running"), "0 3 0") << "only OAR's jobs wait";
  EXPECT_EQ(counters(campaign), recount(campaign));
  EXPECT_EQ(counters(campaign).submitted, 12);
  EXPECT_EQ(stored.launch().jobs, 3);
  EXPECT_EQ(stored.launch().pool_s, 60);
  EXPECT_EQ(stored.launch().files, 37);
}

TEST_F(PoolsInDatabase, ACancelledTask_IsWithheldOnce_OrItsCarrierIsKilled) {
  const auto campaign = a_campaign(20);
  a_pool(campaign, 2, 6);
  const auto requested = [&] {
    return value("SELECT coalesce(string_agg(j.task::text, ' ' ORDER BY j.task), '') FROM kill_requests k JOIN jobs j ON j.id = k.job_id");
  };
  const auto withheld = [&] {
    std::vector<store::PooledTask> tasks;
    transact([&](store::Transaction& transaction) {
      store::request_kills_of_cancelled_tasks(transaction, now);
      tasks = store::pooled_tasks_to_withhold(transaction, alpha, now);
    });
    return tasks;
  };
  transact([&](store::Transaction& transaction) {
    const std::vector<text::Range> range{{4, 5}};
    EXPECT_EQ(store::cancel_tasks(transaction, campaign, range).value().in_flight, 2);
  });
  const auto tasks = withheld();
  ASSERT_THAT(tasks, SizeIs(2));
  EXPECT_EQ(tasks[0].task.value(), 4);
  EXPECT_EQ(tasks[0].login, "alice");
  EXPECT_EQ(requested(), "4 5");
  transact([&](store::Transaction& transaction) { store::note_kills_sent(transaction, std::vector{tasks[0].job}, now); });
  EXPECT_THAT(withheld(), SizeIs(1));
  // A carrier, the job of task 1, has taken task 5.
  execute("UPDATE jobs p SET remote_id = c.remote_id FROM jobs c WHERE p.task = 5 AND c.task = 1");
  EXPECT_THAT(withheld(), IsEmpty());
  EXPECT_EQ(requested(), "1 4 5");
}

/// A thousand that cannot be claimed were before everybody else's, in each turn, for ever.
TEST_F(PoolsInDatabase, Attack_CancelledTasksThatCannotBeWithheld_KeepNobodyElsesWaiting) {
  const auto attacked = a_campaign(1100);
  a_pool(attacked, 1, 1050);
  const auto honest = a_campaign(20);
  execute(fmt::format("UPDATE campaigns SET user_name = 'bob' WHERE id = {}", honest.value()));
  a_pool(honest, 1, 6);
  const auto cancel = [&](grid::CampaignId campaign, std::int64_t first, std::int64_t last) {
    transact([&](store::Transaction& transaction) {
      const std::vector<text::Range> range{{first, last}};
      EXPECT_TRUE(store::cancel_tasks(transaction, campaign, range));
      store::request_kills_of_cancelled_tasks(transaction, now);
    });
  };
  const auto due = [&] {
    std::vector<store::PooledTask> tasks;
    transact([&](store::Transaction& transaction) { tasks = store::pooled_tasks_to_withhold(transaction, alpha, now); });
    return tasks;
  };
  const auto is_honest = [&](const store::PooledTask& task) { return task.campaign == honest; };
  cancel(attacked, 10, 1040);
  cancel(honest, 3, 4);
  const auto first = due();
  ASSERT_THAT(first, SizeIs(1000));
  EXPECT_TRUE(is_honest(first[0]) || is_honest(first[1])) << "users take turns";
  EXPECT_EQ(std::ranges::count_if(first, is_honest), 2);
  std::vector<grid::JobId> jobs;
  for (const auto& task : first) {
    if (!is_honest(task)) jobs.push_back(task.job);
  }
  transact([&](store::Transaction& transaction) { store::note_not_withheld(transaction, jobs, now); });
  EXPECT_THAT(due(), SizeIs(1031 - 998 + 2)) << "those that were not tried, and the honest user's; the others wait a little";
  now += std::chrono::minutes{1};
  const auto later = due();
  ASSERT_THAT(later, SizeIs(1000));
  EXPECT_TRUE(is_honest(later[0]) || is_honest(later[1])) << "those tried less often come first";
}

TEST_F(PoolsInDatabase, TasksWhoseCarriersAreAllOver_AreUnread_UntilTheirFilesShowTheirEnds) {
  const auto campaign = a_campaign(30);
  execute("UPDATE campaigns SET jdl = '{\"temporal_grouping\": true}'");
  const auto unread = [&] {
    std::int64_t tasks = -1;
    transact([&](store::Transaction& transaction) {
      for (const auto& pair : store::planning_facts(transaction, {.flood = 0, .array_size = 100}, now).pairs) {
        if (pair.cluster == alpha) tasks = pair.unread_tasks;
      }
    });
    return tasks;
  };
  EXPECT_EQ(unread(), 0);
  a_pool(campaign, 2, 6);
  a_pool(campaign, 2, 4);
  execute("UPDATE jobs SET state = 'terminated', ending = 'done' WHERE task = 0");
  EXPECT_EQ(unread(), 0) << "a carrier of each goes on";
  execute("UPDATE jobs SET state = 'terminated', ending = 'done' WHERE task = 1");
  EXPECT_EQ(unread(), 6);
  execute("UPDATE jobs SET state = 'terminated', ending = 'done' WHERE pooled AND task < 6");
  EXPECT_EQ(unread(), 2);
}

TEST_F(PoolsInDatabase, WhereTheBagHoldsLess_ThereIsNoPool) {
  const auto campaign = a_campaign(3);
  transact([&](store::Transaction& transaction) {
    EXPECT_EQ(store::plan_launch(transaction, {.campaign = campaign, .cluster = alpha, .jobs = 4, .pooled = 8, .resources = 4}, term, now),
              3);
  });
  EXPECT_EQ(stored.launch().jobs, 3);
  EXPECT_EQ(stored.launch().pool_s, std::nullopt);
}

TEST_F(PoolsInDatabase, ItsFactsAreThoseOfItsCarriers) {
  const auto campaign = a_campaign(20);
  const auto launch = a_pool(campaign, 2, 4);
  auto one = pools();
  ASSERT_THAT(one, SizeIs(1));
  EXPECT_EQ(one[0].launch, launch);
  EXPECT_EQ(one[0].live_carriers, 2);
  EXPECT_FALSE(one[0].closed_at) << "no carrier has started";
  EXPECT_THAT(one[0].jobs, SizeIs(4));
  EXPECT_THAT(one[0].carriers, SizeIs(2));
  std::vector<store::LiveJob> live;
  transact([&](store::Transaction& transaction) {
    live = store::live_jobs(transaction, alpha);
    ASSERT_THAT(live, SizeIs(2)) << "OAR has no others";
    for (const auto& job : live) store::observe_jobs(transaction, std::array{store::Observation{job.id, grid::JobState::running, now, 1}});
  });
  EXPECT_EQ(pools()[0].closed_at, now + grid::Seconds{60});
  EXPECT_EQ(live[0].walltime, pools()[0].walltime + grid::Seconds{60}) << "OAR's walltime is that of the pool";
  end(live[0], grid::JobEnd::done);
  end(live[1], grid::JobEnd::never_began);
  one = pools();
  EXPECT_EQ(one[0].live_carriers, 0);
  EXPECT_TRUE(one[0].may_come);
  EXPECT_EQ(one[0].carriers.at(live[0].remote).end, grid::JobEnd::done);
}

TEST_F(PoolsInDatabase, ACarrierThatWasInterruptedAfterItsOwnTask_EndedAsItWasInterrupted) {
  const auto campaign = a_campaign(20);
  a_pool(campaign, 2, 4);
  std::vector<store::LiveJob> live;
  transact([&](store::Transaction& transaction) {
    live = store::live_jobs(transaction, alpha);
    store::Verdict verdict{.left = store::facts_for_settling(transaction, std::array{live[0].id}).at(0)};
    verdict.run_end = grid::JobEnd::preempted;
    verdict.settlement = grid::settle(verdict.left.task, verdict.left.job, verdict.end, grid::Deletion::none, many_attempts);
    store::settle_jobs(transaction, std::array{verdict}, now);
  });
  EXPECT_EQ(counters(campaign).done, 1);
  EXPECT_EQ(pools()[0].carriers.at(live[0].remote).end, grid::JobEnd::preempted);
  EXPECT_EQ(value("SELECT ending FROM jobs WHERE NOT pooled AND state = 'terminated'"), "done");
}

TEST_F(PoolsInDatabase, AClaim_IsWritten_AndItsTaskRuns) {
  const auto campaign = a_campaign(20);
  a_pool(campaign, 2, 4);
  const auto job = pools()[0].jobs[1];
  transact([&](store::Transaction& transaction) {
    store::note_carriers(transaction, std::array{store::Claimed{job.id, grid::RemoteJobId{1000}}}, now);
  });
  EXPECT_EQ(counters(campaign).running, 1);
  EXPECT_EQ(pools()[0].jobs[1].remote, grid::RemoteJobId{1000});
  EXPECT_EQ(pair("running"), "0") << "its carrier holds the resources";
}

TEST_F(PoolsInDatabase, AnEnd_CountsForThePairAndAsATask_AndHoldsNothing) {
  const auto campaign = a_campaign(20);
  a_pool(campaign, 2, 4);
  end(pools()[0].jobs[0], grid::JobEnd::done);
  EXPECT_EQ(pair("done || ' ' || concluded"), "1 1");
  EXPECT_EQ(value("SELECT format('%s s, %s jobs, %s tasks', resource_seconds, jobs, tasks) FROM usage"), "0 s, 0 jobs, 1 tasks");
  EXPECT_EQ(counters(campaign).done, 1);
}

/// `gridstat` names the part of the jobs after which their task runs again.
TEST_F(PoolsInDatabase, EachEndOfAnAttempt_Counts_ThoughJobsOfPoolsHoldNoResources) {
  const auto campaign = a_campaign(20);
  a_pool(campaign, 2, 4);
  end(pools()[0].jobs[0], grid::JobEnd::done);
  end(pools()[0].jobs[0], grid::JobEnd::task_error, {.attempts = 50, .charged = 50, .walltime_factor = 2});
  end(pools()[0].jobs[0], grid::JobEnd::not_reached);
  take_back(pools()[0].jobs[0]);
  EXPECT_EQ(pair("format('%s ended, %s concluded', ended, concluded)"), "2 ended, 1 concluded");
}

TEST_F(PoolsInDatabase, WhatIsNotReached_GoesBack_AndIsNotCounted) {
  const auto campaign = a_campaign(20);
  a_pool(campaign, 2, 4);
  const auto job = pools()[0].jobs[0];
  end(job, grid::JobEnd::not_reached);
  EXPECT_EQ(value(fmt::format("SELECT state || ' ' || attempt || ' ' || uncounted FROM tasks WHERE number = {}", job.task.value())),
            "waiting 1 1");
  EXPECT_EQ(stored.returned_task().number, job.task.value());
}

TEST_F(PoolsInDatabase, WhatIsKilledWithItsCarrier_IsKilled_AndGoesBack) {
  const auto campaign = a_campaign(20);
  a_pool(campaign, 2, 4);
  take_back(pools()[0].jobs[0]);
  EXPECT_EQ(value("SELECT count(*) FROM jobs WHERE pooled AND state = 'killed' AND ending = 'killed_by_us'"), "1");
  EXPECT_EQ(stored.returned_tasks().size(), 1U);
}

TEST_F(PoolsInDatabase, OfALaunchThatIsVoid_AllTasksGoBack_BoundToTheirClaims) {
  const auto campaign = a_campaign(20);
  const auto launch = a_pool(campaign, 2, 4, false);
  transact([&](store::Transaction& transaction) {
    const std::array launches{launch};
    store::mark_unknown(transaction, launches, "no answer", now);
    EXPECT_TRUE(
        store::give_back(transaction, {.launch = launch, .from = grid::LaunchState::unknown, .error = "not found"}, many_attempts, now));
  });
  EXPECT_EQ(value("SELECT count(*) || ' ' || count(DISTINCT fence) FROM returned_tasks WHERE cluster_id = 1"), "6 1");
  EXPECT_THAT(pools(), IsEmpty());
  EXPECT_EQ(counters(campaign).waiting, 20);
}

TEST_F(PoolsInDatabase, OfWhichAPartIsFound_TheTasksStayInItsHands) {
  const auto campaign = a_campaign(20);
  const auto launch = a_pool(campaign, 2, 4, false);
  transact([&](store::Transaction& transaction) {
    const std::array launches{launch};
    store::mark_unknown(transaction, launches, "no answer", now);
    const auto line = store::launch_lines(transaction, launch).front();
    const grid::FoundJob found{line.job, grid::RemoteJobId{77}, {campaign, line.task, line.attempt, line.job}, false};
    EXPECT_EQ(store::adopt_jobs(transaction, launch, std::array{found}, {}, now), 1);
    EXPECT_TRUE(
        store::give_back(transaction, {.launch = launch, .from = grid::LaunchState::unknown, .error = "not found"}, many_attempts, now));
  });
  ASSERT_THAT(pools(), SizeIs(1));
  EXPECT_THAT(pools()[0].jobs, SizeIs(4));
  EXPECT_EQ(pools()[0].live_carriers, 1);
  EXPECT_TRUE(pools()[0].may_come) << "the other carrier may still appear";
}

TEST_F(PoolsInDatabase, AFollowedCarrier_IsNoUnseenOne_AndItsPoolHasItsDuration) {
  const auto campaign = a_campaign(20);
  a_pool(campaign, 1, 2);
  ASSERT_THAT(pools(), SizeIs(1));
  EXPECT_EQ(pools()[0].duration, grid::Seconds{60});
  EXPECT_FALSE(pools()[0].may_be_unseen);
  execute("UPDATE jobs SET state = 'error', ending = 'node_failure', ended_at = now(), resubmissions = 1 WHERE NOT pooled");
  EXPECT_TRUE(pools()[0].may_come);
  EXPECT_FALSE(pools()[0].may_be_unseen) << "its first run began before its second one";
  execute("UPDATE jobs SET ending = 'never_began' WHERE NOT pooled");
  EXPECT_TRUE(pools()[0].may_be_unseen);
}

/// Its claims are in the folder of a void launch, and its list in its own.
TEST_F(PoolsInDatabase, TheFolderOfAPool_IsInUse_WhereverItsTasksAreClaimed) {
  const auto campaign = a_campaign(2000);
  const auto lost = a_pool(campaign, 2, 1000, false);
  transact([&](store::Transaction& transaction) {
    const std::array launches{lost};
    store::mark_unknown(transaction, launches, "no answer", now);
    store::give_back(transaction, {.launch = lost, .from = grid::LaunchState::unknown, .error = "not found"}, many_attempts, now);
  });
  const auto launch = a_pool(campaign, 2, 600);
  transact([&](store::Transaction& transaction) {
    const auto folders = store::crowded_folders(transaction, alpha, now);
    const auto found = std::ranges::find(folders, launch, &store::LaunchFolder::launch);
    ASSERT_NE(found, folders.end());
    EXPECT_GT(found->attempts, 0);
    EXPECT_TRUE(found->pool);
  });
}

/// The late carrier of a void launch took the task before its successor did.
TEST_F(PoolsInDatabase, AClaimHeldByAPooledJob_BringsItBack) {
  const auto campaign = a_campaign(6);
  const auto launch = a_pool(campaign, 2, 4, false);
  transact([&](store::Transaction& transaction) {
    const std::array launches{launch};
    store::mark_unknown(transaction, launches, "no answer", now);
    store::give_back(transaction, {.launch = launch, .from = grid::LaunchState::unknown, .error = "not found"}, many_attempts, now);
  });
  const auto successors = launched(campaign, alpha, 6);
  const auto successor = *std::ranges::find(successors, grid::TaskNumber{5}, &store::LiveJob::task);
  EXPECT_EQ(successor.fence, launch);
  transact([&](store::Transaction& transaction) { EXPECT_TRUE(store::reopen_twin(transaction, successor)); });
  EXPECT_EQ(
      value(fmt::format("SELECT state || ' ' || (SELECT state FROM launches WHERE id = {0}) FROM jobs WHERE launch_id = {0} AND task = 5",
                        launch.value())),
      "pooled unknown");
}

/// Its files could not be read. OAR knows its carrier alone: what OAR says of that one is not its end.
TEST_F(PoolsInDatabase, APooledJobThatBeganAllTheSame_IsInThePoolAgain) {
  a_pool(a_campaign(6), 2, 4);
  auto pool = pools().at(0);
  const auto holder = *std::ranges::find(pool.jobs, grid::TaskNumber{5}, &store::LiveJob::task);
  const auto carrier = pool.carriers.begin()->first;
  execute(fmt::format("UPDATE jobs SET state = 'error', ending = 'never_began', ended_at = now() WHERE id = {}", holder.id.value()));
  transact([&](store::Transaction& transaction) { EXPECT_TRUE(store::revive_job(transaction, holder.id, carrier, holder)); });
  EXPECT_EQ(value(fmt::format("SELECT concat_ws(' ', state, remote_id, ending) FROM jobs WHERE id = {}", holder.id.value())),
            fmt::format("pooled {}", carrier.value()));
  EXPECT_THAT(pools().at(0).jobs, testing::SizeIs(4));
}

TEST_F(PoolsInDatabase, ACancelledCampaign_KeepsItsFiles_WhilePooledJobsAreNotOver) {
  const auto campaign = a_campaign(20);
  a_pool(campaign, 2, 6);
  execute("UPDATE jobs SET state = 'killed', ending = 'killed_by_us', ended_at = now() WHERE NOT pooled");
  execute("UPDATE campaigns SET state = 'cancelled', ended_at = '2020-01-01'");
  const auto may_be_cleaned = [&] {
    bool may = false;
    bool noted = true;
    transact([&](store::Transaction& transaction) {
      may = !store::campaigns_to_clean(transaction, alpha, now, now, now).empty();
      noted = store::note_cleaned(transaction, campaign, alpha, now);
    });
    EXPECT_EQ(may, noted);
    return may;
  };
  EXPECT_FALSE(may_be_cleaned()) << "the carriers are over, and the ends of their tasks are not read";
  EXPECT_EQ(pair("active"), "t");
  execute("UPDATE jobs SET state = 'error', ending = 'not_reached', ended_at = now() WHERE pooled");
  EXPECT_TRUE(may_be_cleaned());
}

}  // namespace
}  // namespace gleaner::tests
