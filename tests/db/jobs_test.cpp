#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <random>
#include <sstream>
#include <thread>

#include "lib/store/detail.hpp"
#include "lib/store/events.hpp"
#include "lib/store/kills.hpp"
#include "lib/store/replicas.hpp"
#include "tests/db/grid_fixture.hpp"

namespace gleaner::tests {
namespace {

using Jobs = GridFixture;

TEST_F(Jobs, AJobDone_SettlesItsTask_AndCountsItsDuration) {
  const auto campaign = a_campaign(2);
  const auto jobs = launched(campaign, alpha, 2);
  end(jobs[0], grid::JobEnd::done);
  EXPECT_EQ(counters(campaign), (Counters{0, 0, 1, 0, 1, 0, 0}));
  EXPECT_EQ(value(fmt::format("SELECT done || ' ' || duration_sum || ' ' || concluded FROM campaign_clusters WHERE cluster_id = {}",
                              alpha.value())),
            "1 10 1");
}

TEST_F(Jobs, APreemptedJob_GivesItsTaskBack_AsANewAttempt_WithoutACharge) {
  const auto campaign = a_campaign(1);
  end(launched(campaign, alpha, 1)[0], grid::JobEnd::preempted);
  EXPECT_EQ(value("SELECT state || ' ' || attempt || ' ' || charged FROM tasks"), "waiting 1 0");
  EXPECT_EQ(launched(campaign, beta, 1)[0].attempt, 1);
}

TEST_F(Jobs, AJobTakenBackBeforeItBegan_IsANewAttempt_ThatDoesNotCount) {
  const auto campaign = a_campaign(1);
  end(launched(campaign, alpha, 1)[0], grid::JobEnd::preempted);
  take_back(launched(campaign, alpha, 1)[0]);
  take_back(launched(campaign, alpha, 1)[0]);
  const auto job = launched(campaign, alpha, 1)[0];
  EXPECT_EQ(job.attempt, 3);
  transact([&](store::Transaction& t) {
    EXPECT_EQ(store::facts_for_settling(t, std::array{job.id}).at(0).task.counted, 1) << "the preempted one";
  });
}

TEST_F(Jobs, ALateWordOfADeadAttempt_DoesNotTouchTheNewOne) {
  const auto campaign = a_campaign(1);
  const auto first = launched(campaign, alpha, 1)[0];
  end(first, grid::JobEnd::preempted);
  const auto second = launched(campaign, alpha, 1)[0];
  end(first, grid::JobEnd::done);
  EXPECT_EQ(counters(campaign).done, 0);
  end(second, grid::JobEnd::done);
  EXPECT_EQ(counters(campaign).done, 1);
}

TEST_F(Jobs, ATaskError_IsChargedToTheTask) {
  const auto campaign = a_campaign(1);
  end(launched(campaign, alpha, 1)[0], grid::JobEnd::task_error);
  EXPECT_EQ(value("SELECT state || ' ' || charged FROM tasks"), "failed 1");
  EXPECT_EQ(value(fmt::format("SELECT failures_in_a_row FROM campaign_clusters WHERE cluster_id = {}", alpha.value())), "1");
}

TEST_F(Jobs, JobsThatTheClusterCouldNotStart_AreFailuresThere_ThoughNobodyPays) {
  const auto jobs = launched(a_campaign(3), alpha, 3);
  end(jobs[0], grid::JobEnd::cannot_start);
  end(jobs[1], grid::JobEnd::never_began);
  end(jobs[2], grid::JobEnd::preempted);
  EXPECT_EQ(value(fmt::format("SELECT failures_in_a_row FROM campaign_clusters WHERE cluster_id = {}", alpha.value())), "2");
  EXPECT_EQ(value("SELECT sum(charged) FROM tasks"), "0");
}

TEST_F(Jobs, TheLastTaskSettled_EndsTheCampaign) {
  const auto campaign = a_campaign(1);
  transact([&](store::Transaction& t) { EXPECT_TRUE(store::finish_campaigns(t, now).empty()); });
  end(launched(campaign, alpha, 1)[0], grid::JobEnd::done);
  transact([&](store::Transaction& t) { EXPECT_EQ(store::finish_campaigns(t, now), std::vector{campaign}); });
  EXPECT_EQ(value("SELECT state FROM campaigns"), "terminated");
}

TEST_F(Jobs, AJobOfACancelledCampaign_IsToBeKilled_AndItsTaskIsCancelled_NotGivenBack) {
  const auto campaign = a_campaign(3);
  const auto job = launched(campaign, alpha, 1)[0];
  store::transact(database, std::nullopt, [&](store::Transaction& t) { EXPECT_TRUE(store::cancel_campaign(t, campaign, now)); });
  transact([&](store::Transaction& t) {
    store::request_kills_of_cancelled(t, now);
    EXPECT_EQ(store::pending_kills(t, alpha, now).size(), 1U);
  });
  end(job, grid::JobEnd::killed_by_us);
  EXPECT_EQ(value("SELECT count(*) FROM returned_tasks"), "0");
  EXPECT_EQ(counters(campaign), (Counters{0, 0, 0, 0, 0, 0, 3}));
}

TEST_F(Jobs, ATaskThatCameBackJustWhenItsCampaignWasCancelled_IsCancelledToo) {
  const auto campaign = a_campaign(1);
  store::transact(database, std::nullopt, [&](store::Transaction& t) { EXPECT_TRUE(store::cancel_campaign(t, campaign, now)); });
  // What a transaction that read the campaign before its cancellation leaves.
  execute(
      "UPDATE tasks SET state = 'waiting'; INSERT INTO returned_tasks (campaign_id, number, returned_at) SELECT campaign_id, number, now() FROM tasks");
  transact([&](store::Transaction& t) { static_cast<void>(store::finish_campaigns(t, now)); });
  EXPECT_EQ(value("SELECT state FROM tasks"), "cancelled");
  EXPECT_EQ(value("SELECT count(*) FROM returned_tasks"), "0");
}

TEST_F(Jobs, AKillThatWasSent_IsNotSentAgain_BeforeItsTime) {
  const auto campaign = a_campaign(1);
  const auto job = launched(campaign, alpha, 1)[0];
  transact([&](store::Transaction& t) {
    store::request_kills(t, std::array{job.id}, store::KillReason::excess, now);
    store::note_kills_sent(t, std::array{job.id}, now);
    EXPECT_TRUE(store::pending_kills(t, alpha, now).empty());
    EXPECT_EQ(store::pending_kills(t, alpha, now + grid::Seconds{1}).size(), 1U);
  });
}

TEST_F(Jobs, AJobThatOarResubmits_IsFollowedUnderItsNewId) {
  const auto campaign = a_campaign(1);
  const auto job = launched(campaign, alpha, 1)[0];
  transact([&](store::Transaction& t) { store::follow_job(t, job.id, job.remote, grid::RemoteJobId{99}); });
  transact([&](store::Transaction& t) {
    const auto live = store::live_jobs(t, alpha);
    ASSERT_EQ(live.size(), 1U);
    EXPECT_EQ(live[0].remote, grid::RemoteJobId{99});
    EXPECT_EQ(live[0].resubmissions, 1);
  });
}

/// How long a brake lasts that is set so many seconds after the last one ended, in seconds.
class Brakes : public GridFixture {
 protected:
  Brakes() : campaign{a_campaign(1)} {}
  std::int64_t next(std::int64_t after) {
    now += grid::Seconds{after};
    std::optional<grid::Instant> until;
    transact([&](store::Transaction& t) {
      until = store::set_brake(t, {.campaign = campaign, .cluster = alpha}, "why", {grid::Seconds{60}, grid::Seconds{3600}}, now);
    });
    if (!until) return 0;
    const auto length = *until - now;
    now = *until;
    return std::chrono::duration_cast<grid::Seconds>(length).count();
  }
  grid::CampaignId campaign;
};

TEST_F(Brakes, DoubleAtEachIncident_UpToTheGreatestLength) {
  std::vector<std::int64_t> lengths;
  for (int i = 0; i < 8; ++i) lengths.push_back(next(1));
  EXPECT_EQ(lengths, (std::vector<std::int64_t>{60, 120, 240, 480, 960, 1920, 3600, 3600}));
  now -= grid::Seconds{1};
  EXPECT_EQ(next(0), 0) << "one is on already";
}

TEST_F(Brakes, DecayByOneStep_ForEachGreatestLengthWithoutAnIncident) {
  for (int i = 0; i < 30; ++i) next(1);
  EXPECT_EQ(next(3599), 3600);
  EXPECT_EQ(next(3600), 3600) << "one step up, one down";
  EXPECT_EQ(next(3 * 3600), 960) << "one up, three down, and not down from thirty";
  EXPECT_EQ(next(90 * 86400), 60) << "after months it is the first one again";
  EXPECT_EQ(next(1), 120);
}

TEST_F(Brakes, OfOtherTargets_HaveLevelsOfTheirOwn) {
  next(1);
  next(1);
  transact([&](store::Transaction& t) {
    for (const auto& target : {store::Target{.campaign = campaign, .cluster = beta}, store::Target{.campaign = campaign, .cluster = {}},
                               store::Target{.campaign = {}, .cluster = alpha}})
      EXPECT_EQ(store::set_brake(t, target, "why", {grid::Seconds{60}, grid::Seconds{3600}}, now), now + grid::Seconds{60});
  });
}

TEST_F(Jobs, TheCounters_AreWhatARecountGives_AfterAnyTransitions) {
  std::mt19937 random{20090520};
  const auto pick = [&](int n) { return std::uniform_int_distribution<int>{0, n - 1}(random); };
  const auto campaign = a_campaign(60);
  for (int step = 0; step < 120; ++step) {
    const auto cluster = pick(2) == 0 ? alpha : beta;
    std::vector<store::LiveJob> live;
    transact([&](store::Transaction& t) { live = store::live_jobs(t, cluster); });
    switch (pick(4)) {
      case 0: {
        transact([&](store::Transaction& t) {
          store::plan_launch(t, {.campaign = campaign, .cluster = cluster, .jobs = 1 + pick(4), .resources = 1}, term, now);
        });
        std::vector<store::LaunchToMake> planned;
        transact([&](store::Transaction& t) { planned = store::planned_launches(t, cluster); });
        for (const auto& launch : planned) {
          transact([&](store::Transaction& t) {
            ASSERT_TRUE(store::begin_launch(t, {.launch = launch.id, .tag = fmt::format("tag-{}", launch.id.value()), .login = "alice"},
                                            term, now));
            if (pick(4) == 0)
              return static_cast<void>(store::give_back(t,
                                                        {.launch = launch.id,
                                                         .from = grid::LaunchState::launching,
                                                         .to = grid::LaunchState::refused,
                                                         .sent = grid::Sent::never,
                                                         .error = ""},
                                                        many_attempts, now));
            std::vector<store::AcceptedJob> accepted;
            for (const auto& line : store::launch_lines(t, launch.id)) accepted.push_back({line.job, grid::RemoteJobId{next_remote++}});
            store::accept_launch(t, launch.id, accepted, std::nullopt, now);
          });
        }
        break;
      }
      case 1:
        if (live.empty()) break;
        transact([&](store::Transaction& t) {
          const auto& job = live[static_cast<std::size_t>(pick(static_cast<int>(live.size())))];
          store::observe_jobs(
              t, std::array{store::Observation{.job = job.id,
                                               .state = pick(4) == 0 ? grid::JobState::remote_waiting : grid::JobState::running,
                                               .started_at = now,
                                               .resources = 1}});
        });
        break;
      default:
        if (live.empty()) break;
        const auto& job = live[static_cast<std::size_t>(pick(static_cast<int>(live.size())))];
        end(job, std::array{grid::JobEnd::done, grid::JobEnd::preempted, grid::JobEnd::task_error}[static_cast<std::size_t>(pick(3))]);
    }
    ASSERT_EQ(counters(campaign), recount(campaign)) << "after step " << step;
    ASSERT_EQ(value("SELECT count(*) FROM campaign_clusters p WHERE (p.launching, p.waiting, p.running, p.unknown) <> "
                    "(SELECT count(*) FILTER (WHERE state IN ('planned', 'launching')), count(*) FILTER (WHERE state = 'remote_waiting'), "
                    "count(*) FILTER (WHERE state = 'running'), count(*) FILTER (WHERE state = 'unknown') FROM jobs j "
                    "WHERE j.campaign_id = p.campaign_id AND j.cluster_id = p.cluster_id)"),
              "0");
  }
}

/// The rows of a task, its jobs and its place in the bag, read plainly: what the rule should have seen is worked out from them here.
class Settling : public GridFixture {
 protected:
  struct Task {
    std::string state;
    int attempt = 0;
    std::optional<int> replica;
    bool replica_lives = false;
    int charged = 0, uncounted = 0;
    std::string returned;  ///< priority, cluster and fence
    auto operator<=>(const Task&) const = default;
  };
  struct Job {
    std::int64_t id = 0, launch = 0;
    std::int64_t task = 0;
    int attempt = 0;
    std::string state, ending;
    bool is_given_up = false;  ///< its launch is void, and may have been sent
  };

  Task task(std::int64_t number) {
    const auto words = value(fmt::format(
        "SELECT concat_ws('|', t.state, t.attempt, coalesce(t.replica, -1), t.replica_lives, t.charged, t.uncounted, "
        "concat_ws(' ', r.priority, r.cluster_id, r.fence)) FROM tasks t LEFT JOIN returned_tasks r USING (campaign_id, number) WHERE number = {}",
        number));
    std::vector<std::string> parts;
    std::istringstream fields{words};
    for (std::string part; std::getline(fields, part, '|');) parts.push_back(part);
    parts.resize(7);
    return {parts[0],        std::stoi(parts[1]), parts[2] == "-1" ? std::nullopt : std::optional{std::stoi(parts[2])},
            parts[3] == "t", std::stoi(parts[4]), std::stoi(parts[5]),
            parts[6]};
  }
  std::vector<Job> jobs() {
    std::vector<Job> found;
    std::istringstream rows{value(
        "SELECT coalesce(string_agg(concat_ws(' ', j.id, launch_id, task, attempt, j.state, coalesce(ending, '-'), (l.state = 'void' AND l.tag IS NOT NULL)::int), E'\\n' ORDER BY j.id), '') "
        "FROM jobs j JOIN launches l ON l.id = j.launch_id")};
    for (Job job; rows >> job.id >> job.launch >> job.task >> job.attempt >> job.state >> job.ending >> job.is_given_up;)
      found.push_back(job);
    return found;
  }
  static bool is_live(const Job& job) { return job.state != "terminated" && job.state != "error" && job.state != "killed"; }
  static bool is_copy(const Task& task, int attempt) { return attempt == task.attempt || (task.replica_lives && attempt == task.replica); }

  /// What the rule makes of the rows.
  static grid::Settlement expected(const Task& task, const Job& job, const std::vector<Job>& all, grid::JobEnd end, grid::Deletion deletion,
                                   bool began, bool claimed, const grid::Limits& limits) {
    grid::TaskFacts facts{.state = grid::task_state(task.state).value(),
                          .attempt = task.attempt,
                          .replica = task.replica,
                          .replica_lives = task.replica_lives,
                          .charged = task.charged};
    facts.counted = std::max(task.attempt - task.uncounted, 0);
    grid::JobFacts own{.attempt = job.attempt, .began = began, .claimed = claimed, .walltime = grid::Seconds{600}};
    for (const auto& other : all) {
      if (other.task != job.task || other.id == job.id) continue;
      if (other.attempt == job.attempt && is_live(other)) own.contender_lives = true;
      if (other.attempt == job.attempt && other.ending == "duplicate") own.claim_taken = true;
      if (other.attempt == job.attempt && other.ending == "never_submitted" && other.is_given_up) own.orphan_may_come = true;
      if (other.attempt != job.attempt && is_copy(task, other.attempt) && other.state == "running") own.other_copy_runs = true;
    }
    return grid::settle(facts, own, end, deletion, limits);
  }
  /// The row that the settlement makes of it.
  static Task applied(Task task, const grid::Settlement& next, grid::ClusterId cluster, std::int64_t fence) {
    if (!next.moves) return task;
    task.state = grid::name_of(next.state);
    task.attempt = next.attempt;
    task.replica_lives = false;
    task.charged += next.charged ? 1 : 0;
    task.uncounted += next.counted ? 0 : 1;
    task.returned = next.state != grid::TaskState::waiting ? ""
                    : next.bound                           ? fmt::format("{} {} {}", static_cast<int>(next.place), cluster.value(), fence)
                                                           : std::to_string(static_cast<int>(next.place));
    return task;
  }
};

TEST_F(Settling, OfAnyHistory_MovesTheRowsAsTheRuleSays_AndTheCountersWithThem) {
  std::mt19937 random{20261122};
  const auto pick = [&](std::size_t n) { return std::uniform_int_distribution<std::size_t>{0, n - 1}(random); };
  const auto campaign = a_campaign(6);
  execute(R"(UPDATE campaigns SET jdl = '{"replicas": "allowed"}')");
  const grid::Limits limits{.attempts = 12, .charged = 3, .walltime_factor = 1};
  int moved = 0, bound = 0, contended = 0;
  for (int step = 0; step < 400; ++step) {
    const auto cluster = pick(2) == 0 ? alpha : beta;
    const auto all = jobs();
    std::vector<Job> live;
    std::ranges::copy_if(all, std::back_inserter(live), is_live);
    switch (pick(6)) {
      case 0: {
        grid::LaunchId launch{0};
        transact([&](store::Transaction& t) {
          if (store::plan_launch(t, {.campaign = campaign, .cluster = cluster, .jobs = 2, .resources = 2}, term, now) == 0) return;
          launch = store::planned_launches(t, cluster).back().id;
          ASSERT_TRUE(
              store::begin_launch(t, {.launch = launch, .tag = fmt::format("tag-{}", launch.value()), .login = "alice"}, term, now));
        });
        if (launch.value() == 0) break;
        if (pick(3) == 0) {
          transact([&](store::Transaction& t) { store::mark_unknown(t, std::array{launch}, "lost", now); });
          break;
        }
        transact([&](store::Transaction& t) {
          std::vector<store::AcceptedJob> accepted;
          for (const auto& line : store::launch_lines(t, launch)) accepted.push_back({line.job, grid::RemoteJobId{next_remote++}});
          store::accept_launch(t, launch, accepted, std::nullopt, now);
        });
        break;
      }
      case 1:
        transact([&](store::Transaction& t) {
          static_cast<void>(store::plan_replicas(t, {.campaign = campaign, .cluster = cluster, .jobs = 1, .longer_than = {}}, term, now));
        });
        break;
      case 2: {  // the orphan of a launch that was given up shows itself
        std::vector<Job> orphans;
        std::ranges::copy_if(all, std::back_inserter(orphans), [](const Job& job) { return job.ending == "never_submitted"; });
        if (orphans.empty()) break;
        const auto orphan = orphans[pick(orphans.size())];
        transact([&](store::Transaction& t) {
          store::accept_launch(t, grid::LaunchId{orphan.launch},
                               std::array{store::AcceptedJob{grid::JobId{orphan.id}, grid::RemoteJobId{next_remote++}}}, std::nullopt, now);
        });
        break;
      }
      case 3:
        if (!live.empty())
          transact([&](store::Transaction& t) {
            store::observe_jobs(
                t,
                std::array{store::Observation{
                    .job = grid::JobId{live[pick(live.size())].id}, .state = grid::JobState::running, .started_at = now, .resources = 1}});
          });
        break;
      default: {
        if (live.empty()) break;
        const auto job = live[pick(live.size())];
        const bool unsent = job.state == "planned" || job.state == "launching" || job.state == "unknown";
        const auto end = unsent ? grid::JobEnd::never_submitted
                                : static_cast<grid::JobEnd>(pick(static_cast<std::size_t>(grid::JobEnd::never_submitted)));
        const auto deletion =
            std::array{grid::Deletion::none, grid::Deletion::ours, grid::Deletion::impatient, grid::Deletion::overdue}[pick(4)];
        const bool claimed = !unsent && pick(2) == 0, began = claimed || (!unsent && pick(2) == 0);
        const auto before = task(job.task);
        const auto next = expected(before, job, all, end, deletion, began, claimed, limits);
        std::string where;
        transact([&](store::Transaction& t) {
          store::Verdict verdict{.left = store::facts_for_settling(t, std::array{grid::JobId{job.id}}).at(0),
                                 .started_at = now,
                                 .ended_at = now + grid::Seconds{10},
                                 .resources = 1};
          verdict.state = end == grid::JobEnd::done || end == grid::JobEnd::task_error ? grid::JobState::terminated : grid::JobState::error;
          verdict.end = end;
          verdict.left.job.began = began;
          verdict.left.job.claimed = claimed;
          verdict.settlement = grid::settle(verdict.left.task, verdict.left.job, end, deletion, limits);
          ASSERT_EQ(verdict.settlement, next) << "step " << step << ": the facts that SQL gives are others";
          contended += verdict.left.job.contender_lives ? 1 : 0;
          ASSERT_EQ(store::settle_jobs(t, std::array{verdict}, now), 1);
        });
        const grid::ClusterId there{std::stoll(value(fmt::format("SELECT cluster_id FROM jobs WHERE id = {}", job.id)))};
        const auto fence = std::stoll(value(fmt::format("SELECT coalesce(fence, launch_id) FROM jobs WHERE id = {}", job.id)));
        ASSERT_EQ(task(job.task), applied(before, next, there, fence)) << "step " << step << ", " << grid::name_of(end);
        if (unsent)
          execute(fmt::format("UPDATE launches SET state = 'void', settled_at = now() WHERE id = {} AND state = 'unknown'", job.launch));
        moved += next.moves ? 1 : 0;
        bound += next.bound ? 1 : 0;
        if (value("SELECT count(*) FROM tasks WHERE state IN ('done', 'failed')") == "6")
          execute(
              "UPDATE tasks SET state = 'waiting', charged = 0, uncounted = attempt; INSERT INTO returned_tasks (campaign_id, number, returned_at) SELECT campaign_id, number, now() FROM tasks");
      }
    }
    ASSERT_EQ(counters(campaign), recount(campaign)) << "after step " << step;
  }
  EXPECT_GT(moved, 50);
  EXPECT_GT(bound, 5);
  EXPECT_GT(contended, 3);
}

/// In READ COMMITTED a snapshot that is older than the lock shows the other one as it was: each would leave the task to the other.
TEST_F(Settling, OfTwoJobsOfOneAttempt_ThatBothRanNothing_InTwoTransactions_SpendsTheAttempt) {
  const auto campaign = a_campaign(1);
  const auto first = launched(campaign, alpha, 1).at(0);
  execute(
      "INSERT INTO jobs (launch_id, campaign_id, cluster_id, task, attempt, state, remote_id) SELECT launch_id, campaign_id, cluster_id, task, attempt, 'running', 77 FROM jobs");
  const grid::JobId second{std::stoll(value("SELECT max(id) FROM jobs"))};
  const auto settle = [&](store::Transaction& t, grid::JobId job) {
    store::Verdict verdict{.left = store::facts_for_settling(t, std::array{job}).at(0)};
    verdict.end = grid::JobEnd::duplicate;
    verdict.settlement = grid::settle(verdict.left.task, verdict.left.job, verdict.end, grid::Deletion::none, {.attempts = 9});
    EXPECT_EQ(store::settle_jobs(t, std::array{verdict}, now), 1);
  };
  std::thread other;
  std::atomic<bool> over{false};
  transact([&](store::Transaction& t) {
    settle(t, first.id);
    other = std::thread{[&] {
      store::Database mine{conninfo};
      store::transact(mine, std::nullopt, [&](store::Transaction& theirs) { settle(theirs, second); });
      over = true;
    }};
    store::Database watcher{conninfo};
    for (bool waits = false; !waits && !over;) {
      auto look = watcher.begin();
      waits = !look.implementation()
                   .work.exec("SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'")
                   .empty();
    }
  });
  other.join();
  EXPECT_EQ(value("SELECT state || ' ' || attempt FROM tasks"), "waiting 1");
}

}  // namespace
}  // namespace gleaner::tests
