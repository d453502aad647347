#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <fstream>
#include <iterator>
#include <random>
#include <sstream>
#include <stdexcept>
#include <thread>

#include "lib/store/detail.hpp"
#include "lib/store/kills.hpp"
#include "lib/store/replicas.hpp"
#include "tests/db/grid_fixture.hpp"

namespace gleaner::tests {
namespace {

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

  /// The result of the rule for the rows.
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

TEST_F(Settling, OfAnyHistory_MovesTheRowsByTheRule_AndTheCountersWithThem) {
  std::mt19937 random{20261122};  // one whose history is rich enough: see the counts at the end
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

/// The time for which a process computed, in seconds. Other work on the machine does not add to it, nor does the kernel's for it (for
/// memory that is short, for instance).
double user_seconds(int pid) {
  std::ifstream file{fmt::format("/proc/{}/stat", pid)};
  std::string text{std::istreambuf_iterator<char>{file}, {}};
  std::istringstream fields{text.substr(text.rfind(')') + 1)};
  std::string skipped;
  for (int field = 0; field < 11; ++field) fields >> skipped;
  double user = 0;
  if (!(fields >> user)) throw std::runtime_error{fmt::format("no times of process {}", pid)};
  return user / static_cast<double>(::sysconf(_SC_CLK_TCK));
}

/// PostgreSQL takes the live jobs among many that are over for one row, which makes a nested loop look as cheap as a hash join: each job
/// that is given would be compared with each that lives, and each task likewise. Which one it takes depends on the moment of its last
/// statistics; here it takes the loop, and knows of jobs that live, but not of their tasks.
TEST_F(Settling, OfManyJobsAtOnce_TakesNoLongerThanOfAsManyInParts_WhateverPlanIsTaken) {
  constexpr int kJobs = 8000, kPart = 500;
  const auto campaign = a_campaign(2 * kJobs + 1);
  const auto run_and_settle = [&](int count) {
    const auto jobs = launched(campaign, alpha, count);
    ASSERT_EQ(std::ssize(jobs), count);
    execute("ANALYZE jobs");
    std::vector<grid::JobId> ids;
    std::ranges::transform(jobs, std::back_inserter(ids), &store::LiveJob::id);
    transact([&](store::Transaction& t) {
      std::vector<store::Observation> observed;
      std::vector<store::Waits> waits;
      for (const auto id : ids) {
        observed.push_back({.job = id, .state = grid::JobState::running, .started_at = now, .resources = 1});
        waits.push_back({.job = id, .over = now + grid::Seconds{10}});
      }
      store::observe_jobs(t, observed);
      store::note_waits(t, waits, now);
      std::vector<store::Verdict> verdicts;
      for (auto& facts : store::facts_for_settling(t, ids)) {
        auto& verdict = verdicts.emplace_back(store::Verdict{.left = std::move(facts), .started_at = now, .resources = 1});
        verdict.settlement = grid::settle(verdict.left.task, verdict.left.job, verdict.end, grid::Deletion::none, {});
      }
      ASSERT_EQ(store::settle_jobs(t, verdicts, now + grid::Seconds{10}), count);
    });
  };
  const auto server = std::stoi(value("SELECT pg_backend_pid()"));
  const auto seconds_of = [&](int part) {
    const auto before = user_seconds(server);
    for (int rest = kJobs; rest > 0; rest -= part) run_and_settle(part);
    return user_seconds(server) - before;
  };
  execute("SET enable_hashjoin = off");
  execute("SET enable_mergejoin = off");
  run_and_settle(1);
  const auto in_parts = seconds_of(kPart);
  execute("ANALYZE tasks");
  const auto at_once = seconds_of(kJobs);
  EXPECT_GT(in_parts, 0);
  EXPECT_LE(at_once, 3 * in_parts) << "in parts: " << in_parts << " s";
  EXPECT_EQ(counters(campaign).done, 2 * kJobs + 1);
  EXPECT_EQ(value("SELECT sum(jobs) || ' ' || sum(tasks) || ' ' || sum(useful_seconds) FROM usage"),
            fmt::format("{0} {0} {1}", 2 * kJobs + 1, 10 * (2 * kJobs + 1)));
}

/// In READ COMMITTED a snapshot that is older than the lock shows the other one as it was: each would leave the task to the other.
TEST_F(Settling, OfTwoJobsOfOneAttempt_ThatBothRanNothing_InTwoTransactions_SpendsTheAttempt) {
  const auto campaign = a_campaign(1);
  const auto first = launched(campaign, alpha, 1).at(0);
  execute(
      "INSERT INTO jobs (launch_id, campaign_id, cluster_id, task, attempt, state, remote_id) SELECT launch_id, campaign_id, cluster_id, task, attempt, 'running', 77 FROM jobs");
  const auto second = stored.jobs().back().id;
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
  EXPECT_EQ(stored.task().state, "waiting");
  EXPECT_EQ(stored.task().attempt, 1);
}

}  // namespace
}  // namespace gleaner::tests
