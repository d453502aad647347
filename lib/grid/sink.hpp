#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

/// The sink effect: jobs that end on a cluster in almost no time, without an error, have most likely done nothing, and such a cluster would
/// swallow a whole campaign. Almost no time is less than the JDL's min_duration, or less than a tenth of the duration elsewhere when that
/// is 10 s or more, besides OAR's own part of a job. Before any other cluster has ended tasks, the ones before on the cluster itself take
/// the place of those elsewhere. A min_duration of 0 states that tasks may end at once: then no cluster is a sink. Durations are in
/// seconds. Source: document 003, note 6.
namespace gleaner::grid {

/// The smallest number of ends that is evidence about a cluster.
inline constexpr int kMinEnds = 3;
/// The number of last ends of each cluster that are compared. Older ends may belong to other conditions.
inline constexpr int kLastEnds = 50;
/// As many of a pair that is suspected, or that could be compared with no other one until a short time ago.
inline constexpr int kLateEnds = 200;

/// The median; of an even number of values the lower of the two in the middle, so that a fast cluster is not taken for a sink because of a
/// slow one.
[[nodiscard]] std::optional<double> lower_median(std::vector<double> values);

/// The durations elsewhere from which on a tenth of them is almost no time.
inline constexpr double kLeastElsewhere = 10.0;

/// Whether the user has stated that tasks may end at once.
[[nodiscard]] constexpr bool may_end_at_once(std::optional<double> min_duration) { return min_duration && *min_duration <= 0; }

/// The duration below which a job took almost no time, by the duration elsewhere: a tenth of it, and what a job of no time takes there too
/// (`start_cost`), yet at most half of it. Empty: jobs do not take long elsewhere.
[[nodiscard]] constexpr std::optional<double> bound_elsewhere(std::optional<double> elsewhere, double start_cost) {
  if (!elsewhere || *elsewhere < kLeastElsewhere) return std::nullopt;
  return std::min(*elsewhere / 10.0 + start_cost, *elsewhere / 2.0);
}

/// Whether a mean duration is almost no time.
[[nodiscard]] constexpr bool is_sink(double mean, std::optional<double> min_duration, std::optional<double> elsewhere, double start_cost) {
  if (may_end_at_once(min_duration)) return false;
  if (min_duration && mean < *min_duration) return true;
  const auto bound = bound_elsewhere(elsewhere, start_cost);
  return bound && mean < *bound;
}

/// A job of the campaign that runs on the cluster in question.
struct Runs {
  double seconds = 0.0;     ///< for so long
  std::size_t younger = 0;  ///< so many of LastEnds::here began after it
};

/// The durations of the last jobs of a campaign that ended without an error.
struct LastEnds {
  /// On the cluster in question, those that began last first. Jobs that began before a sink opened end later than those that it takes.
  std::vector<double> here = {};
  std::vector<Runs> running = {};                   ///< beside them
  std::vector<std::vector<double>> elsewhere = {};  ///< on each other cluster, in any order
  std::optional<double> min_duration = {};          ///< of the JDL
  double start_cost = 0.0;                          ///< seconds that a job takes on the cluster besides its task
  bool suspected = false;                           ///< the cluster was found to be a sink, and has shown no work since
  bool others_may_judge = false;                    ///< another cluster may do tasks of the campaign
  /// The ends of `here` from this one on began before another cluster could be compared, and `elsewhere` has all of those that followed.
  std::optional<std::size_t> uncompared_from = {};
};

struct Sink {
  std::size_t first = 0, ends = 0;  ///< `ends` of LastEnds::here, from `first` on, most likely did nothing
  double mean = 0.0;                ///< mean duration of these
  double usual = 0.0;               ///< the figure in comparison: min_duration, or the duration elsewhere, or that of the ends before
  double bound = 0.0;               ///< each of these ends took less
  enum class By { min_duration, elsewhere, before } by = By::min_duration;
  bool is_over = false;  ///< other ends followed these
};

/// A sink is found when the newest ends in a row, at least kMinEnds, all took almost no time, and no job that began after them runs for
/// longer; otherwise empty. The duration elsewhere is the median of the means of the other clusters with kMinEnds or more ends. If short
/// ends also occur elsewhere, or occurred here before, more of them in a row are needed: as many as chance brings about once in a million
/// times, or, on a cluster that is suspected or has never shown a longer end, once in a hundred times. If every other end is a short one,
/// no sink is found.
/// - While no other cluster has kMinEnds ends, but one may get tasks, the newest ends are compared with those before, by their median:
///   then almost no time is also less than kSomeWork.
/// - Ends that nothing could be compared with in their time (`uncompared_from`) are compared later, wherever they are in a row.
[[nodiscard]] std::optional<Sink> find_sink(const LastEnds& last);

/// The jobs of a campaign on one cluster, as far as they show that tasks do their work there.
struct Shown {
  std::int64_t done = 0;
  double duration_sum = 0.0, duration_squares = 0.0;  ///< of the done ones
  bool runs_on = false;                               ///< a job has run there for kSomeWork or longer
  /// Whether the cluster may get tasks of the campaign: never, not for now (it is braked, or does not answer), or now.
  enum class Judge { never, later, now } judge = Judge::now;
};
/// A job that takes so many seconds, or has run so long, does some work. OAR's own part of a job may take two or three.
inline constexpr double kSomeWork = 5.0;

/// The most live tasks of a campaign on a cluster that nothing has judged yet; empty: the campaign's tasks may go there in any number.
/// A cluster is judged when a task there took kSomeWork or more, or has run on for so long; or when another cluster has done kMinEnds
/// tasks, with which its ends are compared (find_sink). Where no other cluster may ever get tasks of the campaign, there is nothing to
/// compare. The user's word counts: a min_duration, and a walltime of less than kLeastElsewhere, with which no task takes long.
/// An unjudged cluster gets `few` tasks in all; while no other cluster can judge it for now, `few` at a time.
/// Cost: O(elsewhere).
[[nodiscard]] std::optional<std::int64_t> most_unjudged(const Shown& here, std::span<const Shown> elsewhere, int few,
                                                        std::optional<double> min_duration, double walltime);

/// Counts more of the first ends that are as short in a row, of the same pair when more of its ends are known.
void lengthen(Sink& sink, std::span<const double> here);

/// Whether the newest end took long enough to clear a suspected cluster.
[[nodiscard]] bool shows_work(const LastEnds& last);

}  // namespace gleaner::grid
