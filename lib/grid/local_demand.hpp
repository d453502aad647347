#pragma once
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "lib/grid/time.hpp"

/// The demand of the local jobs of a cluster, as the updator observes it at its period. A headroom of `auto` is sized by it.
namespace gleaner::grid {

/// The local jobs that came in one hour of the day (UTC). Jobs that came between two polls count as one arrival: they find the same free
/// resources. Arrivals older than 14 days fade, so that the figures follow the users.
struct LocalDemand {
  double seconds = 0;              ///< for which the cluster was watched in that hour
  std::map<int, double> arrivals;  ///< resources of an arrival (rounded up to 16 steps and powers of two) → arrivals

  /// @param resources  that came in that time; 0: none
  void observe(double watched, int resources);
  /// Adds another demand, each second of which counts as `weight`.
  void add(const LocalDemand& other, double weight);

  /// "1:2.5 4:1": the arrivals.
  [[nodiscard]] std::string text() const;
  bool operator==(const LocalDemand&) const = default;
};

/// Reads the format of text(). Nothing: the text does not have it.
[[nodiscard]] std::optional<LocalDemand> local_demand(double seconds, std::string_view arrivals);

inline constexpr int kHoursOfDay = 24;
/// From 0 to 23, in UTC.
[[nodiscard]] int hour_of_day(Instant instant);

/// A local job that holds resources, by the cluster's clock.
struct LocalStart {
  Instant submitted;
  Instant started;
  int resources = 1;
};

/// The last poll of a cluster.
struct LocalWatch {
  std::optional<Instant> polled_at;   ///< by our clock
  std::optional<Instant> last_start;  ///< latest start of a local job that ran then, by the cluster's clock
};

/// The arrivals of local jobs in a poll.
struct LocalArrivals {
  double seconds = 0;  ///< since the last poll
  int resources = 0;   ///< of the local jobs that have come since
};

/// Compares the local jobs with the last poll, and notes this one. Nothing, if no poll was within the last minute, or if the clock was set
/// back: such a time is not watched. Jobs that waited for longer than a minute came for resources of other local jobs, and do not count.
[[nodiscard]] std::optional<LocalArrivals> note_poll(LocalWatch& watch, std::span<const LocalStart> local, Instant now);

}  // namespace gleaner::grid
