#pragma once
#include <cstddef>
#include <optional>
#include <vector>

/// The sink effect: jobs that end on a cluster in almost no time, without an error, have most likely done nothing, and such a cluster would
/// swallow a whole campaign. Almost no time is less than the JDL's min_duration, or less than a tenth of the duration elsewhere when that
/// is 10 s or more. Durations are in seconds. Source: document 003, note 6.
namespace gleaner::grid {

/// The smallest number of ends that is evidence about a cluster.
inline constexpr int kMinEnds = 3;
/// The number of last ends of each cluster that are compared. Older ends may belong to other conditions.
inline constexpr int kLastEnds = 50;

/// The median; of an even number of values the lower of the two in the middle, so that a fast cluster is not taken for a sink because of a
/// slow one.
[[nodiscard]] std::optional<double> lower_median(std::vector<double> values);

/// Whether a mean duration is almost no time.
[[nodiscard]] constexpr bool is_sink(double mean, std::optional<double> min_duration, std::optional<double> elsewhere) {
  if (min_duration && mean < *min_duration) return true;
  return elsewhere && *elsewhere >= 10.0 && mean < *elsewhere / 10.0;
}

/// The durations of the last jobs of a campaign that ended without an error.
struct LastEnds {
  std::vector<double> here = {};                    ///< on the cluster in question, the newest first
  std::vector<std::vector<double>> elsewhere = {};  ///< on each other cluster, in any order
  std::optional<double> min_duration = {};          ///< of the JDL
  bool suspected = false;                           ///< the cluster was found to be a sink, and has shown no work since
};

struct Sink {
  std::size_t ends = 0;  ///< this many of the first of LastEnds::here most likely did nothing
  double mean = 0.0;     ///< mean duration of these
  double usual = 0.0;    ///< the bound in comparison: min_duration, or the duration elsewhere
  enum class By { min_duration, elsewhere } by = By::min_duration;
};

/// A sink is found when the newest ends in a row, at least kMinEnds, all took almost no time; otherwise empty. The duration elsewhere
/// is the median of the means of the other clusters with kMinEnds or more ends. If short ends also occur elsewhere, or occurred here
/// before, more of them in a row are needed: as many as chance brings about once in a million times, or, on a cluster that is suspected or
/// has never shown a longer end, once in a hundred times. If every other end is a short one, no sink is found.
[[nodiscard]] std::optional<Sink> find_sink(const LastEnds& last);

/// Whether the newest end took long enough to clear a suspected cluster.
[[nodiscard]] bool shows_work(const LastEnds& last);

}  // namespace gleaner::grid
