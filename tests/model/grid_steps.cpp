#include "tests/model/grid_steps.hpp"

namespace gleaner::model {

using grid::JobState;
using grid::LaunchState;
using grid::TaskState;

bool GridSteps::is_open(const Job& job) {
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

bool GridSteps::has_remote(const Job& job) {
  return job.used && (job.state == code(JobState::remote_waiting) || job.state == code(JobState::running));
}

grid::TaskFacts GridSteps::facts_of(const Task& task) {
  return {.state = static_cast<TaskState>(task.state),
          .attempt = task.attempt,
          .replica = task.replica == kNone ? std::nullopt : std::optional<int>{task.replica},
          .replica_lives = task.replica_lives,
          .charged = task.charged,
          .counted = task.counted,
          .cancelled = false};
}

grid::JobFacts GridSteps::job_facts(const State& state, std::size_t j) {
  const auto& job = state.jobs[j];
  const auto& task = state.tasks[at(job.task)];
  grid::JobFacts facts{.attempt = job.attempt};
  for (std::size_t other = 0; other < state.jobs.size(); ++other) {
    const auto& one = state.jobs[other];
    if (other == j || !one.used || one.task != job.task) continue;
    if (one.attempt == job.attempt) {
      facts.contender_lives = facts.contender_lives || is_open(one);
      facts.orphan_may_come =
          facts.orphan_may_come || (one.ending == as_int(grid::JobEnd::never_submitted) &&
                                    state.launches[at(one.launch)].state == code(LaunchState::void_) && state.launches[at(one.launch)].tag);
      facts.claim_taken = facts.claim_taken || one.ending == as_int(grid::JobEnd::duplicate);
    } else if (grid::is_copy(facts_of(task), one.attempt)) {
      facts.other_copy_runs = facts.other_copy_runs || one.state == code(JobState::running);
    }
  }
  return facts;
}

void GridSteps::apply(State& next, std::size_t j, grid::JobEnd how, const grid::Settlement& settled) const {
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
  task.bound = settled.bound || settled.kept ? next.launches[at(job.launch)].cluster : kNone;
  task.fence = settled.bound ? job.fence : kNone;
}

void grid_steps(const State& state, const Rules& rules, const Bounds& bounds, const Emit& emit) {
  launch_steps(state, rules, bounds, emit);
  job_steps(state, rules, bounds, emit);
}

}  // namespace gleaner::model
