#pragma once
#include <span>

#include "lib/grid/time.hpp"
#include "lib/process/config.hpp"
#include "lib/store/calls.hpp"

/// Which clusters a turn polls, where clusters call.
namespace gleaner::updator {

/// A cluster that called less long ago is expected to call again: it is polled less often by itself.
inline constexpr std::chrono::minutes kCallsExpected{10};
/// Periods between two polls of such a cluster. Nobody calls when resources are added, or a local job waits.
inline constexpr int kPeriodsOfCallers{3};
/// OAR calls some tenths of a second before it frees a job's resources; a call is repeated for so long while a job is ending.
inline constexpr std::chrono::seconds kEnding{10};

/// Whether a turn polls a cluster. One that calls is polled when it did, and after some periods; others in all turns but those that only
/// answer calls.
/// @param period  process::Config::cycle_period
/// @param status_max_age  for which a plan uses a status: callers are polled twice in this time
[[nodiscard]] bool is_polled(const store::CallsOfCluster& one, std::span<const store::CallsOfCluster> all, grid::Instant now,
                             process::Duration period, process::Duration status_max_age);

}  // namespace gleaner::updator
