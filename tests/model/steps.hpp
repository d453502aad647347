#pragma once
#include <functional>
#include <string_view>

#include "tests/model/world.hpp"

namespace gleaner::model {

/// How big a world is searched.
struct Bounds {
  int tasks = 1;
  int launches = 3;   ///< arrays of one job a task
  int jobs = 3;
  int remotes = 4;
  int attempts = 3;   ///< that are planned on one path
  int troubles = 2;   ///< that the world makes on one path
  bool replicas = false;
  grid::Limits limits{.attempts = 3, .charged = 1, .walltime_factor = 1};
};

using Emit = std::function<void(const State& next, std::string_view what)>;

/// Every step that the grid or the world may take next.
void grid_steps(const State& state, const Rules& rules, const Bounds& bounds, const Emit& emit);
void world_steps(const State& state, const Bounds& bounds, const Emit& emit);

/// A state at which the search begins: all tasks in the bag.
[[nodiscard]] State beginning(const Bounds& bounds);

/// Nothing of ours is left to be done for any task.
[[nodiscard]] bool is_over(const State& state, const Bounds& bounds);

/// What a state shows that must never be; empty when all is well.
[[nodiscard]] std::string_view broken_law(const State& state);

}  // namespace gleaner::model
