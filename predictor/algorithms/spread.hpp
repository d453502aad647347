#pragma once

/// The spread of the end of a bag of tasks; forecast.hpp describes the model.
namespace gleaner::prediction {

/// How the tasks begin: as many as there are slots run already; they get all slots at once; they get one slot after the other, as those
/// before them end.
enum class Phase { running, at_once, one_by_one };

struct Bag {
  double mean = 0;       ///< seconds of a task, greater than 0
  double deviation = 0;  ///< seconds
  double seen = 1;       ///< tasks by which mean and deviation were estimated
  double remaining = 1;  ///< tasks, running ones included
  double slots = 1;      ///< tasks that run at once, at most `remaining`
  double ended = 1;      ///< tasks by which the throughput was measured
  Phase phase = Phase::running;
};

/// Seconds, from now or from the first start: the median, the 10 % and the 90 % quantile of the end.
struct Spread {
  double likely = 0;
  double least = 0;
  double most = 0;
};
[[nodiscard]] Spread spread_of(const Bag& bag);

/// The coefficient of variation (deviation / mean), drawn towards 1/2 for few tasks, as if one more task had shown 1/2.
/// @param shown  that of the tasks seen
[[nodiscard]] double variation_of(double shown, double tasks);

/// The 90 % quantile of the standard normal distribution.
inline constexpr double kNinetyPercent = 1.2815515655446004;

/// The time (seconds) within which all `tasks` running jobs have ended, with probability `share`. Durations are taken as gamma distributed,
/// and the jobs as being at random points of theirs.
/// @param variation  deviation / mean
[[nodiscard]] double last_residual(double mean, double variation, double tasks, double share);

/// The same of jobs that begin now.
[[nodiscard]] double last_duration(double mean, double variation, double tasks, double share);

}  // namespace gleaner::prediction
