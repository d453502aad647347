#pragma once
#include <span>

namespace gleaner::grid {

/// Recent usage, in which older days count less: the sum of day[i] * decay^i.
/// Source: document 001, "fair-share", U.
/// @param days   usage of today, yesterday, …; 1 is the whole grid for the whole day
/// @param decay  of one day, in [0, 1]
[[nodiscard]] inline double decayed_usage(std::span<const double> days, double decay) {
  double usage = 0.0;
  double factor = 1.0;
  for (const double day : days) {
    usage += factor * day;
    factor *= decay;
  }
  return usage;
}

}  // namespace gleaner::grid
