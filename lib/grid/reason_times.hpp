#pragma once
#include <chrono>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "lib/grid/id.hpp"
#include "lib/grid/time.hpp"

/// The reasons that a campaign's pairs had, and for how long. Times are in microseconds, so that their sums are exact.
namespace gleaner::grid {

using Length = std::chrono::microseconds;

/// A time in which a pair, or the whole campaign, had one reason.
struct ReasonPeriod {
  std::optional<ClusterId> cluster = {};  ///< empty: the whole campaign
  std::string cluster_name = {};
  Instant since = {};
  std::optional<Instant> until = {};  ///< empty: it stands
  Length lasted = {};
  /// The reason held for `lasted` in all between since and until: a part of long ago, which other periods have in common.
  bool summed = false;
  std::string reason = {};
  std::string subject = {};

  friend bool operator==(const ReasonPeriod&, const ReasonPeriod&) = default;
};

/// The time that a pair had one reason.
struct ReasonShare {
  std::string reason;
  std::string subject;
  Length lasted = {};
};

/// The shares of one pair: they and `undecided` add up to the time from `from` until `until`.
struct ReasonTimes {
  std::optional<ClusterId> cluster = {};
  std::string cluster_name = {};
  Instant from = {};                     ///< later than it was requested: nothing was decided before; earlier: a sum is counted whole
  Instant until = {};                    ///< now, or when the last decision ended
  std::vector<ReasonShare> shares = {};  ///< the longest first
  Length undecided = {};                 ///< the pair had no decision
};

/// The shares of each pair since `from`.
/// @param periods  those that held after `from`, of each pair together, in their order
[[nodiscard]] std::vector<ReasonTimes> times_of(std::span<const ReasonPeriod> periods, Instant from, Instant now);

}  // namespace gleaner::grid
