#pragma once
#include <optional>

namespace gleaner::grid {

/// Ends that tell something of a cluster.
inline constexpr int kTellingEnds = 3;

/// The sink effect: jobs that end on a cluster in almost no time, without an error, have most
/// likely done nothing, and the cluster would swallow a whole campaign. Almost no time is less than
/// the JDL's min_duration, or a tenth of what the jobs take elsewhere when that is 10 s or more.
/// Durations in seconds. Source: spec/003, note 6.
[[nodiscard]] constexpr bool is_sink(double mean, std::optional<double> min_duration, std::optional<double> elsewhere) {
  if (min_duration && mean < *min_duration) return true;
  return elsewhere && *elsewhere >= 10.0 && mean < *elsewhere / 10.0;
}

}  // namespace gleaner::grid
