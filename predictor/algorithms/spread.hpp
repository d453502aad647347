#pragma once
#include <optional>

#include "lib/grid/durations.hpp"

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
  /// When the last one begins, where that is known (sharing.hpp): seconds, and the deviation of them.
  struct Emptied {
    double seconds = 0;
    double earlier = 0;  ///< the deviation before
    double later = 0;    ///< the deviation behind
    double age = 0;      ///< of the jobs that run now, on average
  };
  std::optional<Emptied> emptied{};
  double longest = 0;  ///< seconds that a task may take at most; 0: not known
};

/// Seconds, from now or from the first start: the median, the 10 % and the 90 % quantile of the end.
struct Spread {
  double likely = 0;
  double least = 0;
  double most = 0;
};
[[nodiscard]] Spread spread_of(const Bag& bag);

/// The mean duration (seconds) of all tasks, estimated from those that are done: while jobs run, the long ones are missing among these. For
/// r slots in use for a time t, renewal theory gives E(ended) = r t / mean + r (cv^2 - 1) / 2, and the expected age of a running job is
/// mean (1 + cv^2) / 2, so mean = sum / (ended - r cv^2).
[[nodiscard]] double unbiased_mean(const grid::Durations& durations, double running);

/// A mean, and by what part it may be wrong (one standard deviation).
struct Mean {
  double seconds = 0;
  double error = 0;
};
/// The same where the ages of the running jobs are known: mean = (sum + ages) / (ended + r (1 - cv^2) / 2). The variation of the few that
/// are done first says little, so it is taken as between theirs and 1, for which the mean is (sum + ages) / ended (the maximum likelihood
/// for exponential durations): the geometric mean of both, and their difference is part of the error.
/// @param ages  seconds, of all running jobs together
[[nodiscard]] Mean mean_of_all(const grid::Durations& durations, double running, double ages);

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
