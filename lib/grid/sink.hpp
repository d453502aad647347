#pragma once
#include <cstddef>
#include <optional>
#include <vector>

/// The sink effect: jobs that end on a cluster in almost no time, without an error, have most likely done nothing, and the cluster
/// would swallow a whole campaign. Almost no time is less than the JDL's min_duration, or less than a tenth of what the jobs take
/// elsewhere when that is 10 s or more. Durations are in seconds. Source: spec/003, note 6.
namespace gleaner::grid {

/// The fewest ends that are evidence about a cluster.
inline constexpr int kTellingEnds = 3;
/// The last ends of each cluster that are compared: what the jobs took long ago does not count.
inline constexpr int kLastEnds = 50;

/// The middle value; of an even number of values, the lower of the two in the middle, as a slow cluster must not accuse a fast one.
[[nodiscard]] std::optional<double> lower_median(std::vector<double> values);

/// Whether a mean duration is almost no time.
[[nodiscard]] constexpr bool is_sink(double mean, std::optional<double> min_duration, std::optional<double> elsewhere) {
  if (min_duration && mean < *min_duration) return true;
  return elsewhere && *elsewhere >= 10.0 && mean < *elsewhere / 10.0;
}

/// How long the last jobs of a campaign took that ended without an error.
struct LastEnds {
  std::vector<double> here = {};                    ///< on the cluster in question, the newest first
  std::vector<std::vector<double>> elsewhere = {};  ///< on each other cluster, in any order
  std::optional<double> min_duration = {};          ///< the JDL's
  bool suspected = false;                           ///< the cluster was found to be a sink, and has shown no work since
};

struct Sink {
  std::size_t ends = 0;  ///< the first so many of LastEnds::here most likely did nothing
  double mean = 0.0;     ///< duration of these
  double usual = 0.0;    ///< what they are compared with: min_duration, or the duration elsewhere
  enum class By { min_duration, elsewhere } by = By::min_duration;
};

/// Nothing unless the last ends in a row, kTellingEnds at least, were after almost no time. The duration elsewhere is the median of
/// the other clusters' means, of those with kTellingEnds or more. Where short ends occur elsewhere too, or occurred here before,
/// more of them in a row are needed: so many as chance brings about once in a million times, or, on a cluster that is suspected or
/// has never shown a longer end, once in a hundred times. Where every other end is a short one, nothing is found.
[[nodiscard]] std::optional<Sink> find_sink(const LastEnds& last);

/// Whether the newest end took long enough to clear a suspected cluster.
[[nodiscard]] bool shows_work(const LastEnds& last);

}  // namespace gleaner::grid
