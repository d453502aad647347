#include <algorithm>
#include <ranges>

#include "tests/model/grid_steps.hpp"

/// Where a search begins and ends, and what no state may show.
namespace gleaner::model {

using grid::TaskState;

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
