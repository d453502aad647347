#include <algorithm>
#include <ranges>
#include <string>
#include <vector>

#include "lib/grid/evidence.hpp"
#include "tests/model/steps.hpp"

/// What our modules may do: each step is one of their transactions, or one request.
namespace gleaner::model {
namespace {

using grid::JobState;
using grid::LaunchState;
using grid::TaskState;
using grid::Witness;

constexpr std::uint8_t code(auto value) { return static_cast<std::uint8_t>(value); }
std::size_t at(std::int8_t index) { return static_cast<std::size_t>(index); }

bool is_open(const Job& job) {
  if (!job.used) return false;
  switch (static_cast<JobState>(job.state)) {
    case JobState::planned:
    case JobState::launching:
    case JobState::unknown:
    case JobState::remote_waiting:
    case JobState::running: return true;
    default: return false;
  }
}
bool has_remote(const Job& job) {
  return job.used && (job.state == code(JobState::remote_waiting) || job.state == code(JobState::running));
}
bool in_flight(const Task& task) {
  return task.state == code(TaskState::launching) || task.state == code(TaskState::submitted) || task.state == code(TaskState::running);
}

grid::TaskFacts facts_of(const Task& task) {
  return {.state = static_cast<TaskState>(task.state),
          .attempt = task.attempt,
          .replica = task.replica == kNone ? std::nullopt : std::optional<int>{task.replica},
          .replica_lives = task.replica_lives,
          .charged = task.charged,
          .counted = task.counted,
          .cancelled = false};
}

class GridSteps : Steps {
 public:
  GridSteps(const State& state, const Rules& rules, const Bounds& bounds, const Emit& emit) : Steps{state, bounds, emit}, rules_{rules} {}

  void all() {
    for (int t = 0; t < bounds_.tasks; ++t) {
      for (int cluster = 0; cluster < kClusters; ++cluster) plan(static_cast<std::size_t>(t), cluster);
    }
    if (bounds_.replicas) replicate();
    for (std::size_t l = 0; l < state_.launches.size(); ++l) {
      if (state_.launches[l].used) launch(l);
    }
    for (std::size_t j = 0; j < state_.jobs.size(); ++j) {
      if (state_.jobs[j].used) job(j);
    }
  }

 private:
  [[nodiscard]] std::optional<std::size_t> free_launch() const {
    for (std::size_t i = 0; i < at(static_cast<std::int8_t>(bounds_.launches)); ++i) {
      if (!state_.launches[i].used) return i;
    }
    return std::nullopt;
  }
  [[nodiscard]] std::optional<std::size_t> free_job() const {
    for (std::size_t i = 0; i < at(static_cast<std::int8_t>(bounds_.jobs)); ++i) {
      if (!state_.jobs[i].used) return i;
    }
    return std::nullopt;
  }

  // metascheduler

  void plan(std::size_t t, int cluster) {
    const auto& task = state_.tasks[t];
    if (task.attempt > bounds_.attempts) return;
    if (task.state != code(TaskState::waiting) || !task.in_bag || (task.bound != kNone && task.bound != cluster)) return;
    // The clusters are alike: the first launch of all goes to the first one.
    const bool is_first = std::ranges::none_of(state_.launches, &Launch::used) &&
                          std::ranges::all_of(state_.tasks, [](const Task& one) { return one.attempt == 1 && one.starts == 0; });
    if (is_first && cluster > 0) return;
    const auto launch = free_launch();
    const auto job = free_job();
    if (!launch || !job) return;
    step("a launch is planned", [&](State& next) {
      auto& mine = next.tasks[t];
      next.launches[*launch] = {
          .used = true, .state = code(LaunchState::planned), .cluster = as_int(cluster), .looks = 0, .post = code(Post::unsent)};
      next.jobs[*job] = {.used = true,
                         .task = as_int(t),
                         .launch = as_int(*launch),
                         .fence = mine.fence == kNone ? as_int(*launch) : mine.fence,
                         .attempt = mine.attempt,
                         .state = code(JobState::planned)};
      mine.state = code(TaskState::launching);
      mine.in_bag = false;
      mine.bound = mine.fence = kNone;
    });
  }

  void replicate() {
    for (std::size_t t = 0; t < at(static_cast<std::int8_t>(bounds_.tasks)); ++t) {
      const auto& task = state_.tasks[t];
      if (task.state != code(TaskState::running) || task.replica != kNone) continue;
      const auto launch = free_launch();
      const auto job = free_job();
      if (!launch || !job) continue;
      for (std::int8_t cluster = 0; cluster < kClusters; ++cluster) {
        step("a replica is planned", [&](State& next) {
          auto& mine = next.tasks[t];
          mine.replica = static_cast<std::int8_t>(mine.attempt + 1);
          mine.replica_lives = true;
          mine.excused = true;
          next.launches[*launch] = {
              .used = true, .state = code(LaunchState::planned), .cluster = cluster, .looks = 0, .post = code(Post::unsent)};
          next.jobs[*job] = {.used = true,
                             .task = as_int(t),
                             .launch = as_int(*launch),
                             .fence = as_int(*launch),
                             .attempt = mine.replica,
                             .state = code(JobState::planned)};
        });
      }
    }
  }

  // runner

  void launch(std::size_t l);
  void send(std::size_t l);
  void answer(std::size_t l, grid::PostAnswer answer, std::string_view what);
  void look(std::size_t l);
  void give_back(std::size_t l, LaunchState to, grid::Sent sent, std::string_view what);
  bool accept(std::size_t l, std::string_view what);
  void adopt(State& next, std::size_t j) const;
  void release(std::size_t l);

  // updator and nikita

  void job(std::size_t j);
  void observe(std::size_t j);
  void over(std::size_t j);
  void lose(std::size_t j);

  void set_jobs(State& next, std::size_t l, JobState from, JobState to) const {
    for (auto& job : next.jobs) {
      if (job.used && job.launch == as_int(l) && job.state == code(from)) job.state = code(to);
    }
  }

  // ends

  [[nodiscard]] grid::JobFacts job_facts(const State& state, std::size_t j) const {
    const auto& job = state.jobs[j];
    const auto& task = state.tasks[at(job.task)];
    grid::JobFacts facts{.attempt = job.attempt};
    for (std::size_t other = 0; other < state.jobs.size(); ++other) {
      const auto& one = state.jobs[other];
      if (other == j || !one.used || one.task != job.task) continue;
      if (one.attempt == job.attempt) {
        facts.contender_lives = facts.contender_lives || is_open(one);
        facts.orphan_may_come = facts.orphan_may_come ||
                                (one.ending == as_int(grid::JobEnd::never_submitted) &&
                                 state.launches[at(one.launch)].state == code(LaunchState::void_) && state.launches[at(one.launch)].tag);
        facts.claim_taken = facts.claim_taken || one.ending == as_int(grid::JobEnd::duplicate);
      } else if (grid::is_copy(facts_of(task), one.attempt)) {
        facts.other_copy_runs = facts.other_copy_runs || one.state == code(JobState::running);
      }
    }
    return facts;
  }

  void end(State& next, std::size_t j, grid::JobEnd how, grid::JobFacts facts, grid::Deletion deletion) const {
    const auto& task = next.tasks[at(next.jobs[j].task)];
    apply(next, j, how, rules_.settle(facts_of(task), facts, how, deletion, bounds_.limits));
  }

  void apply(State& next, std::size_t j, grid::JobEnd how, const grid::Settlement& settled) const {
    auto& job = next.jobs[j];
    auto& task = next.tasks[at(job.task)];
    job.state = code(how == grid::JobEnd::killed_by_us ? JobState::killed : JobState::error);
    job.ending = as_int(how);
    if (!settled.moves) return;
    task.state = code(settled.state);
    task.attempt = static_cast<std::int8_t>(settled.attempt);
    task.replica_lives = settled.replica_lives;
    if (settled.charged) ++task.charged;
    if (settled.state != TaskState::waiting) return;
    if (settled.counted && task.counted < bounds_.limits.attempts) ++task.counted;
    task.in_bag = true;
    task.bound = settled.bound ? next.launches[at(job.launch)].cluster : kNone;
    task.fence = settled.bound ? job.fence : kNone;
  }

  /// Its twin of a void launch may hold the claim: that launch is searched again.
  [[nodiscard]] bool reopen(State& next, std::size_t j) const {
    const auto& job = next.jobs[j];
    bool reopened = false;
    for (auto& twin : next.jobs) {
      if (!twin.used || twin.task != job.task || twin.attempt != job.attempt || twin.ending != as_int(grid::JobEnd::never_submitted))
        continue;
      auto& launch = next.launches[at(twin.launch)];
      if (!rules_.is_reopened(static_cast<LaunchState>(launch.state), launch.tag ? grid::Sent::maybe : grid::Sent::never)) continue;
      launch.state = code(LaunchState::unknown);
      launch.looks = 0;
      twin.state = code(JobState::unknown);
      twin.ending = kNone;
      reopened = true;
    }
    return reopened;
  }

  /// Its twin was said never to have begun, and holds the claim.
  [[nodiscard]] static bool revive(State& next, std::size_t j) {
    const auto& job = next.jobs[j];
    for (std::size_t r = 0; r < next.remotes.size(); ++r) {
      const auto& remote = next.remotes[r];
      if (!remote.used || remote.files != code(Witness::started)) continue;
      auto& twin = next.jobs[at(remote.job)];
      if (twin.task != job.task || twin.attempt != job.attempt || twin.ending != as_int(grid::JobEnd::never_began)) continue;
      twin.state = code(JobState::remote_waiting);
      twin.ending = kNone;
      twin.kill = 0;
      twin.remote = as_int(r);
      return true;
    }
    return false;
  }

  /// OAR's ids begin with 1.
  [[nodiscard]] static grid::RemoteJobId id_of(std::int8_t remote) { return grid::RemoteJobId{remote + 1}; }

  /// As lib/grid/evidence.hpp reads it from the names of the files.

  [[nodiscard]] grid::Evidence evidence_of(std::size_t j) const {
    const auto& job = state_.jobs[j];
    std::vector<std::string> names;
    for (std::size_t r = 0; r < state_.remotes.size(); ++r) {
      const auto& remote = state_.remotes[r];
      if (!remote.used || remote.files == code(Witness::unread)) continue;
      const auto& other = state_.jobs[at(remote.job)];
      if (other.fence != job.fence) continue;
      grid::EvidenceFile file{
          .task = grid::TaskNumber{other.task}, .attempt = other.attempt, .job = grid::JobId{remote.job}, .remote = id_of(as_int(r))};
      file.evidence = {.witness = static_cast<Witness>(remote.files),
                       .status = remote.status == kNone ? 0 : remote.status,
                       .holder = grid::JobId{std::max<std::int64_t>(0, remote.holder)}};
      names.push_back(file.name());
    }
    return grid::EvidenceIndex{names}.of({.task = grid::TaskNumber{job.task},
                                          .attempt = job.attempt,
                                          .job = grid::JobId{static_cast<std::int64_t>(j)},
                                          .remote = id_of(job.remote)});
  }

  /// A launch that OAR gave up, and that began: it has its walltime before its end is settled.
  [[nodiscard]] bool runs_on(std::size_t j) const {
    return std::ranges::any_of(state_.remotes, [&](const Remote& one) {
      return one.used && one.job == as_int(j) && one.record == static_cast<std::int8_t>(grid::Record::failed) &&
             one.phase == code(Phase::running);
    });
  }

  void settle_by_evidence(std::size_t j) {
    const auto evidence = evidence_of(j);
    if (evidence.witness != Witness::started || !runs_on(j)) return settle_end(j, evidence, "a job's end is settled by evidence");
    if (!rules_.first_run_has_its_walltime) settle_end(j, evidence, "a job's end is settled while its first run goes on");
  }

  void settle_end(std::size_t j, grid::Evidence evidence, std::string_view what) {
    const auto& job = state_.jobs[j];
    const auto& remote = state_.remotes[at(job.remote)];
    grid::RemoteEnd record{.record = static_cast<grid::Record>(remote.record), .started = remote.held, .again = job.again};
    if (record.record == grid::Record::exited) record.status = remote.status;
    const auto deletion = job.kill < 2 ? grid::Deletion::none : static_cast<grid::Deletion>(job.deletion);
    const auto how = rules_.end_of(record, evidence, deletion);
    step(what, [&](State& next) {
      // OAR's word counts where there is nothing better; it may be wrong.
      const bool starts_when_deleted = std::ranges::any_of(state_.remotes, [&](const Remote& other) {
        return other.used && other.record == static_cast<std::int8_t>(grid::Record::deleted) && other.phase == code(Phase::running) &&
               state_.jobs[at(other.job)].task == job.task;
      });
      const bool claimed = evidence.witness == Witness::started || evidence.witness == Witness::duplicate;
      const bool believed = evidence.witness == Witness::unreadable || (claimed && starts_when_deleted);
      if (believed) next.tasks[at(job.task)].excused = true;
      if (evidence.witness == Witness::unreadable) --next.troubles;
      if (how == grid::JobEnd::duplicate && !revive(next, j)) (void)reopen(next, j);
      auto facts = job_facts(next, j);
      facts.began = grid::has_begun(record, evidence);
      facts.claimed = grid::has_claimed(record, evidence);
      facts.may_begin = grid::may_begin(record, evidence);
      facts.holder_status = evidence.holder_status;
      end(next, j, how, facts, deletion);
    });
  }

  const Rules& rules_;
};

void GridSteps::launch(std::size_t l) {
  const auto& launch = state_.launches[l];
  const auto post = static_cast<Post>(launch.post);
  const auto state = static_cast<LaunchState>(launch.state);
  if (state == LaunchState::planned) {
    step("a runner begins", [&](State& next) {
      next.launches[l].state = code(LaunchState::launching);
      set_jobs(next, l, JobState::planned, JobState::launching);
    });
    give_back(l, LaunchState::void_, grid::Sent::never, "a planned launch is given back");
    return;
  }
  if (post == Post::unsent) send(l);
  if (state == LaunchState::launching) {
    if (post == Post::unsent) answer(l, grid::PostAnswer::not_sent, "the POST cannot be sent");
    if (post == Post::flying) answer(l, grid::PostAnswer::refused, "OAR refuses");
    if (post == Post::carried_out) (void)accept(l, "the answer has the ids");
    answer(l, grid::PostAnswer::lost, "no answer, or the runner died");
  }
  if (launch.tag && (state == LaunchState::unknown || state == LaunchState::void_)) look(l);
  if (state == LaunchState::void_) release(l);
}

/// A runner may be stopped for any time between its intent and its POST.
void GridSteps::send(std::size_t l) {
  const auto state = static_cast<LaunchState>(state_.launches[l].state);
  if (rules_.to_send({.state = state, .own_term = state == LaunchState::launching}) != grid::LaunchStep::go_on) return;
  step("a runner sends the POST", [&](State& next) { next.launches[l].post = code(Post::flying); });
}

void GridSteps::answer(std::size_t l, grid::PostAnswer answer, std::string_view what) {
  const auto after = rules_.after_post(answer);
  if (after.gives_back) return give_back(l, after.state, grid::Sent::never, what);
  step(what, [&](State& next) {
    next.launches[l].state = code(after.state);
    set_jobs(next, l, JobState::launching, JobState::unknown);
  });
}

/// Whatever OAR has carried out, its lists show.
void GridSteps::look(std::size_t l) {
  const auto& launch = state_.launches[l];
  const auto state = static_cast<LaunchState>(launch.state);
  if (accept(l, "a look finds jobs of a launch") || state != LaunchState::unknown) return;
  constexpr grid::LookPatience kPatience{.looks = 2, .delay = {}};
  const auto missing = static_cast<int>(std::ranges::count_if(
      state_.jobs, [&](const Job& job) { return job.used && job.launch == as_int(l) && job.state == code(JobState::unknown); }));
  const auto fate = rules_.fate_of({.state = state, .missing = missing, .looks = launch.looks + 1, .healthy = kPatience.delay}, kPatience);
  if (fate == LaunchState::void_) return give_back(l, fate, grid::Sent::maybe, "a launch is void");
  step("a look finds nothing more", [&](State& next) {
    next.launches[l].state = code(fate);
    next.launches[l].looks = std::min<std::int8_t>(static_cast<std::int8_t>(launch.looks + 1), kPatience.looks);
  });
}

void GridSteps::give_back(std::size_t l, LaunchState to, grid::Sent sent, std::string_view what) {
  step(what, [&](State& next) {
    auto& launch = next.launches[l];
    launch.state = code(to);
    launch.tag = sent == grid::Sent::maybe;
    if (sent == grid::Sent::never && static_cast<Post>(launch.post) == Post::flying) launch.post = code(Post::never);
    for (std::size_t j = 0; j < next.jobs.size(); ++j) {
      const auto& job = next.jobs[j];
      if (!job.used || job.launch != as_int(l) || has_remote(job) || !is_open(job)) continue;
      // An OAR that lost its database says nothing of a job that runs.
      for (const auto& remote : next.remotes) {
        if (remote.used && !remote.known && next.jobs[at(remote.job)].task == job.task) next.tasks[at(job.task)].excused = true;
      }
      const grid::Unsubmitted unsubmitted{.sent = sent, .fenced = job.fence != job.launch, .replicas_allowed = false};
      apply(next, j, grid::JobEnd::never_submitted,
            rules_.settle_unsubmitted(facts_of(next.tasks[at(job.task)]), job_facts(next, j), unsubmitted, bounds_.limits));
    }
  });
}

/// Every job of a launch that OAR lists under its identity: the newest one where OAR ran it again.
bool GridSteps::accept(std::size_t l, std::string_view what) {
  State next = state_;
  bool found = false;
  for (std::size_t j = 0; j < next.jobs.size(); ++j) {
    auto& job = next.jobs[j];
    const bool wanted =
        job.used && job.launch == as_int(l) && !has_remote(job) && (is_open(job) || job.ending == as_int(grid::JobEnd::never_submitted));
    if (!wanted) continue;
    for (std::size_t r = 0; r < next.remotes.size(); ++r) {
      const auto& remote = next.remotes[r];
      if (!remote.used || remote.job != as_int(j) || !remote.known || remote.stranger) continue;
      job.again = job.again || has_remote(job);
      job.remote = as_int(r);
      job.state = code(JobState::remote_waiting);
      job.ending = kNone;
      found = true;
    }
    if (has_remote(job)) adopt(next, j);
  }
  if (!found) return false;
  const bool whole = std::ranges::none_of(
      next.jobs, [&](const Job& job) { return job.used && job.launch == as_int(l) && !has_remote(job) && is_open(job); });
  if (whole) next.launches[l].state = code(LaunchState::accepted);
  emit_(next, what);
  return whole;
}

void GridSteps::adopt(State& next, std::size_t j) const {
  auto& job = next.jobs[j];
  auto& task = next.tasks[at(job.task)];
  const auto adoption = rules_.adoption_of(facts_of(task), job.attempt);
  if (adoption.late && job.kill == 0) job.kill = 1;
  if (!adoption.moves) return;
  task.state = code(TaskState::submitted);
  task.in_bag = false;
  task.bound = task.fence = kNone;
}

/// An administrator retires the cluster, or release_after is over: the risk is taken.
void GridSteps::release(std::size_t l) {
  for (std::size_t t = 0; t < state_.tasks.size(); ++t) {
    const auto& task = state_.tasks[t];
    if (!task.in_bag || task.fence != as_int(l)) continue;
    if (state_.troubles == 0) continue;
    step("a task is released from its cluster", [&](State& next) {
      --next.troubles;
      auto& mine = next.tasks[t];
      mine.attempt = static_cast<std::int8_t>(rules_.attempt_after_release(facts_of(mine)));
      mine.bound = mine.fence = kNone;
      mine.excused = true;
    });
  }
}

void GridSteps::job(std::size_t j) {
  const auto& job = state_.jobs[j];
  if (!has_remote(job)) return;
  const auto& task = state_.tasks[at(job.task)];
  const auto& remote = state_.remotes[at(job.remote)];
  if (!remote.known) return lose(j);
  if (remote.record != kNone) return over(j);
  observe(j);
  const bool wanted = in_flight(task) && grid::is_copy(facts_of(task), job.attempt);
  const auto to_kill = [&](State& next, grid::Deletion deletion) {
    next.jobs[j].kill = 1;
    next.jobs[j].deletion = code(deletion);
  };
  if (job.kill == 0 && !wanted) step("a late job is to be killed", [&](State& next) { to_kill(next, grid::Deletion::ours); });
  const bool stuck = remote.phase == code(Phase::holding);
  const bool runs = remote.phase == code(Phase::running);
  if (job.kill == 0 && stuck)
    step("a job that does not begin is to be killed", [&](State& next) { to_kill(next, grid::Deletion::impatient); });
  if (job.kill == 0 && runs && state_.troubles > 0) {
    step("a job that OAR keeps in Launching runs beyond its walltime, and is to be killed", [&](State& next) {
      --next.troubles;
      ++next.tasks[at(job.task)].faults;
      to_kill(next, grid::Deletion::overdue);
    });
    step("the same, and nobody can read that it runs", [&](State& next) {
      --next.troubles;
      to_kill(next, grid::Deletion::impatient);
    });
  }
  if (job.kill == 0 && remote.phase == code(Phase::queued) && state_.troubles > 0) {
    step("a waiting job is taken back", [&](State& next) {
      --next.troubles;
      to_kill(next, grid::Deletion::ours);
    });
  }
  if (job.kill == 1) step("a deletion is sent", [&](State& next) { next.jobs[j].kill = 2; });
}

void GridSteps::observe(std::size_t j) {
  const auto& job = state_.jobs[j];
  const auto phase = static_cast<Phase>(state_.remotes[at(job.remote)].phase);
  const auto seen = phase == Phase::queued ? JobState::remote_waiting : JobState::running;
  if (job.state == code(seen)) return;
  step("a poll sees a job", [&](State& next) {
    next.jobs[j].state = code(seen);
    auto& task = next.tasks[at(job.task)];
    const bool counts = task.state == code(TaskState::submitted) || task.state == code(TaskState::running);
    if (!counts || !grid::is_copy(facts_of(task), job.attempt)) return;
    if (seen == JobState::running) task.state = code(TaskState::running);
    else if (!task.replica_lives) task.state = code(TaskState::submitted);
  });
}

void GridSteps::over(std::size_t j) {
  const auto& job = state_.jobs[j];
  const auto& remote = state_.remotes[at(job.remote)];
  if (remote.resubmitted != kNone && rules_.follow(job.kill)) {
    step("OAR's second run is followed", [&](State& next) {
      next.jobs[j].remote = remote.resubmitted;
      next.jobs[j].again = true;
      next.jobs[j].state = code(JobState::remote_waiting);
      next.jobs[j].kill = std::min<std::int8_t>(next.jobs[j].kill, 1);
    });
    return;
  }
  grid::RemoteEnd record{.record = static_cast<grid::Record>(remote.record), .started = remote.held, .again = job.again};
  if (record.record == grid::Record::exited) record.status = remote.status;
  if (!rules_.needs_evidence(record)) return settle_end(j, {}, "a job's end is settled");
  settle_by_evidence(j);
  if (state_.troubles > 0) settle_end(j, {.witness = Witness::unreadable}, "a job's end is settled without its evidence");
}

/// Its cluster has not known it for long, and an administrator says so.
void GridSteps::lose(std::size_t j) {
  step("a job is declared lost", [&](State& next) {
    next.tasks[at(state_.jobs[j].task)].excused = true;
    end(next, j, grid::JobEnd::lost, job_facts(next, j), grid::Deletion::none);
  });
}

}  // namespace

void grid_steps(const State& state, const Rules& rules, const Bounds& bounds, const Emit& emit) {
  GridSteps{state, rules, bounds, emit}.all();
}

State beginning(const Bounds& bounds) {
  State state;
  state.troubles = static_cast<std::int8_t>(bounds.troubles);
  return state;
}

bool is_over(const State& state, const Bounds& bounds) {
  const bool full = std::ranges::all_of(state.launches | std::views::take(bounds.launches), &Launch::used) ||
                    std::ranges::all_of(state.jobs | std::views::take(bounds.jobs), &Job::used);
  for (int t = 0; t < bounds.tasks; ++t) {
    const auto& task = state.tasks[static_cast<std::size_t>(t)];
    const bool settled = task.state == code(TaskState::done) || task.state == code(TaskState::failed);
    // Where a path has used up the launches or attempts of the world, a task that waits for one is as good as over.
    if (!settled && !(task.in_bag && (full || task.attempt > bounds.attempts))) return false;
  }
  return true;
}

std::string_view broken_law(const State& state) {
  for (const auto& task : state.tasks) {
    if (task.twice) return "an attempt was carried out twice";
    if (task.again) return "a task was carried out again though it had succeeded, or while it ran";
    if (task.charged > task.faults && !task.excused) return "a task was charged for another's fault";
    if (task.state == code(TaskState::done) && !task.succeeded) return "a task is done that never succeeded";
    if (task.in_bag != (task.state == code(TaskState::waiting))) return "a task is lost: it waits, and is not in the bag";
  }
  return {};
}

}  // namespace gleaner::model
