#pragma once
#include "tests/model/steps.hpp"

namespace gleaner::model {

constexpr std::uint8_t code(auto value) { return static_cast<std::uint8_t>(value); }
inline std::size_t at(std::int8_t index) { return static_cast<std::size_t>(index); }

/// Code that the steps of our modules share: the facts for the production rules, and the effect of a settlement.
class GridSteps : protected Steps {
 protected:
  GridSteps(const State& state, const Rules& rules, const Bounds& bounds, const Emit& emit) : Steps{state, bounds, emit}, rules_{rules} {}

  /// Not over, as far as the grid knows.
  [[nodiscard]] static bool is_open(const Job& job);
  [[nodiscard]] static bool has_remote(const Job& job);
  [[nodiscard]] static grid::TaskFacts facts_of(const Task& task);
  [[nodiscard]] static grid::JobFacts job_facts(const State& state, std::size_t j);

  /// Adds what is known of checkpoints: a job that claimed its attempt was signalled, and an earlier one may have been.
  void note_checkpoint(grid::JobFacts& facts) const {
    facts.checkpoints = facts.has_checkpoint = bounds_.checkpoints;
    facts.signalled = bounds_.checkpoints && facts.claimed;
  }

  /// Writes the end of a job, and what it means for its task.
  void apply(State& next, std::size_t j, grid::JobEnd how, const grid::Settlement& settled) const;

  const Rules& rules_;
};

/// The steps of the metascheduler and the runner.
void launch_steps(const State& state, const Rules& rules, const Bounds& bounds, const Emit& emit);
/// The steps of the updator and nikita.
void job_steps(const State& state, const Rules& rules, const Bounds& bounds, const Emit& emit);

}  // namespace gleaner::model
