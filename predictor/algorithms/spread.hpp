#pragma once

/// How far from each other the ends of a bag of tasks may be: forecast.hpp says by what model.
namespace gleaner::prediction {

struct Bag {
  double mean = 0;       ///< seconds of a task, greater than 0
  double deviation = 0;  ///< seconds
  double seen = 1;       ///< tasks of which both are known
  double remaining = 1;  ///< tasks, those that run included
  double slots = 1;      ///< tasks that run at once, at most `remaining`
  double ended = 1;      ///< tasks by which the rate was measured
};

/// Seconds from now: the end is earlier in one case of ten, and later in one of ten.
struct Spread {
  double least = 0;
  double most = 0;
};
[[nodiscard]] Spread spread_of(const Bag& bag);

/// The duration within which all of `tasks` that run now have ended, with a probability of `share`.
/// Their durations are gamma distributed, and they are at any point of theirs.
/// @param variation  deviation / mean
[[nodiscard]] double last_residual(double mean, double variation, double tasks, double share);

}  // namespace gleaner::prediction
