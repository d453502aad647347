#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "lib/grid/time.hpp"

/// Checkpoints: a task that gets a signal writes what it has computed into a folder, and its next attempt continues from there.
namespace gleaner::grid {

/// The checkpoints that a campaign requests.
struct Checkpointing {
  std::string signal{"USR1"};       ///< its name, without SIG
  std::optional<Seconds> period{};  ///< from one signal to the next; empty: as optimal_period says
  Seconds cost{60};                 ///< that a task takes to write one
  bool operator==(const Checkpointing&) const = default;
};

/// The signals that a campaign may request. Others are not among them because the wrapper of a job does not forward them, or because a
/// command in the background ignores them (INT, QUIT).
struct CheckpointSignal {
  std::string_view name;
  int number;  ///< as Linux and OAR count
};
[[nodiscard]] std::span<const CheckpointSignal> checkpoint_signals();
/// Empty: none has this name.
[[nodiscard]] std::optional<int> checkpoint_signal(std::string_view name);

/// How often the jobs of a campaign on a cluster are interrupted without a signal before: preempted, or lost with their node. OAR 2.5.9
/// signals before it preempts a job (margin_before_end), and such a job loses nothing that a period could save.
struct Interruptions {
  std::int64_t jobs = 0;  ///< that were interrupted
  double seconds = 0;     ///< for which its jobs ran, in all
  /// Mean time of a job until it is interrupted, in seconds. Before anything is known, one interruption in a day is assumed; the
  /// assumption counts as one interruption.
  [[nodiscard]] double mean_time() const;
};

/// The period, in seconds, with which the least time is lost, in checkpoints and in work that is done again.
/// @param cost, mean_time  seconds, above 0
/// Source: J. W. Young, "A first order approximation to the optimum checkpoint interval", 1974; J. T. Daly, "A higher order estimate of the
/// optimum checkpoint interval for restart dumps", 2006, equation 37: the computation between two checkpoints, to which the cost of one is
/// added.
[[nodiscard]] double optimal_period(double cost, double mean_time);

/// The period of a campaign on a cluster, in seconds.
[[nodiscard]] double period_of(std::optional<double> stated, double cost, const Interruptions& interruptions);

/// How long before the end OAR itself sends the signal: before the walltime, and before it kills the job for a local one, which waits for
/// so long. The cost, and half a minute, as OAR 2.5.9 looks for walltimes every 10 s; at most half of the walltime, and `most`, which
/// bounds what local users wait for a campaign's cost. 0: it sends none.
[[nodiscard]] Seconds margin_before_end(Seconds cost, Seconds walltime, Seconds most);

/// A task that continues from its last checkpoint, as a simulation computes it. The first signal comes `period` after its start, the others
/// follow; each checkpoint takes `cost`, in which nothing else is computed. All in seconds.
struct CheckpointedRun {
  double period = 0;  ///< above the cost; 0: no checkpoints
  double cost = 0;
  /// How long it runs until so much work is done.
  [[nodiscard]] double length_of(double work) const;
  /// The work that is done after it ran for so long, if no checkpoint is being written then.
  [[nodiscard]] double work_in(double seconds) const;
  /// The work that its last whole checkpoint holds after it ran for so long.
  [[nodiscard]] double saved_after(double seconds) const;
  /// How long ago its last whole checkpoint, or its start, was.
  [[nodiscard]] double since_checkpoint(double seconds) const;

 private:
  /// Whole checkpoints.
  [[nodiscard]] double checkpoints_after(double seconds) const;
};

}  // namespace gleaner::grid
