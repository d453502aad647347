#include <algorithm>
#include <string>
#include <vector>

#include "lib/grid/evidence.hpp"
#include "tests/model/grid_steps.hpp"

/// Steps of the updator and nikita: each step is one of their transactions, or one request.
namespace gleaner::model {
namespace {

using grid::JobState;
using grid::LaunchState;
using grid::TaskState;
using grid::Witness;

bool in_flight(const Task& task) {
  return task.state == code(TaskState::launching) || task.state == code(TaskState::submitted) || task.state == code(TaskState::running);
}

class JobSteps : GridSteps {
 public:
  JobSteps(const State& state, const Rules& rules, const Bounds& bounds, const Emit& emit) : GridSteps{state, rules, bounds, emit} {}

  void all() {
    for (std::size_t j = 0; j < state_.jobs.size(); ++j) {
      if (state_.jobs[j].used) job(j);
    }
  }

 private:
  void job(std::size_t j);
  void observe(std::size_t j);
  void over(std::size_t j);
  void lose(std::size_t j);

  // ends

  void end(State& next, std::size_t j, grid::JobEnd how, grid::JobFacts facts, grid::Deletion deletion) const {
    const auto& task = next.tasks[at(next.jobs[j].task)];
    note_checkpoint(facts);
    apply(next, j, how, rules_.settle(facts_of(task), facts, how, deletion, bounds_.limits));
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
      if (!remote.used || !grid::has_claimed({.witness = static_cast<Witness>(remote.files)})) continue;
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
      facts.claimed = grid::has_claimed(evidence);
      facts.may_begin = grid::may_begin(record, evidence);
      facts.holder_status = evidence.holder_status;
      end(next, j, how, facts, deletion);
    });
  }
};

void JobSteps::job(std::size_t j) {
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

void JobSteps::observe(std::size_t j) {
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

void JobSteps::over(std::size_t j) {
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
void JobSteps::lose(std::size_t j) {
  step("a job is declared lost", [&](State& next) {
    next.tasks[at(state_.jobs[j].task)].excused = true;
    end(next, j, grid::JobEnd::lost, job_facts(next, j), grid::Deletion::none);
  });
}

}  // namespace

void job_steps(const State& state, const Rules& rules, const Bounds& bounds, const Emit& emit) {
  JobSteps{state, rules, bounds, emit}.all();
}

}  // namespace gleaner::model
