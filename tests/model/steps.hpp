#pragma once
#include <functional>
#include <string_view>

#include "tests/model/world.hpp"

namespace gleaner::model {

/// How big a world is searched.
struct Bounds {
  int tasks = 1;
  int launches = 3;  ///< arrays of one job a task
  int jobs = 3;
  int remotes = 4;
  int attempts = 3;  ///< that are planned on one path
  int troubles = 2;  ///< that the world makes on one path
  bool replicas = false;
  bool checkpoints = false;  ///< of its task each job that began has had a checkpoint written
  grid::Limits limits{.attempts = 3, .charged = 1, .walltime_factor = 1};
};

using Emit = std::function<void(const State& next, std::string_view what)>;

/// Code that the steps of the grid and of the world share.
class Steps {
 protected:
  Steps(const State& state, const Bounds& bounds, const Emit& emit) : state_{state}, bounds_{bounds}, emit_{emit} {}

  template <class Change>
  void step(std::string_view what, Change&& change) {
    State next = state_;
    change(next);
    emit_(next, what);
  }

  const State& state_;
  const Bounds& bounds_;
  const Emit& emit_;
};

constexpr std::int8_t as_int(auto value) { return static_cast<std::int8_t>(value); }

/// Every step that the grid or the world may take next.
void grid_steps(const State& state, const Rules& rules, const Bounds& bounds, const Emit& emit);
void world_steps(const State& state, const Bounds& bounds, const Emit& emit);

/// A state at which the search begins: all tasks in the bag.
[[nodiscard]] State beginning(const Bounds& bounds);

/// Nothing of ours is left to be done for any task.
[[nodiscard]] bool is_over(const State& state, const Bounds& bounds);

/// The law that a state breaks; empty when all is well.
[[nodiscard]] std::string_view broken_law(const State& state);

}  // namespace gleaner::model
