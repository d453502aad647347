#pragma once
#include <optional>

#include "lib/grid/time.hpp"

/// What may wait in a cluster's own queue, in one place: the planner gives no more, the predictor
/// judges by it, and nikita wipes what is beyond it.
namespace gleaner::grid {

/// No count of jobs is higher: where resources divided by next to nothing would not fit an int.
inline constexpr double kMostJobs = 1e9;

/// How long a cluster may take to start a job that fits.
inline constexpr Seconds kSettling{15};

/// Whether the cluster's scheduler is still at work on our jobs: OAR starts one or two a second, so
/// for some seconds jobs wait beside free resources that they are about to take.
enum class Starting {
  still,  ///< some job started lately, or the oldest waiting one is young
  stuck   ///< nothing has started for a while: what is free is of no use to the jobs that wait
};

/// @param last_start  of a job of the campaign on the cluster
/// @param oldest      submission of the job that waits longest there
/// @param settle      how long a cluster may take to start a job
[[nodiscard]] Starting starting_of(std::optional<Instant> last_start, std::optional<Instant> oldest, Instant now, Seconds settle);

/// The jobs of one campaign that wait on one cluster, and what could still take them.
struct WaitingJobs {
  int waiting = 0;         ///< jobs in the cluster's queue
  double ratio = 1.0;      ///< jobs per resource
  int free_resources = 0;  ///< free on the cluster when the jobs were counted
  int max_resources = 0;   ///< all that the cluster has
  double flood = 0.0;      ///< what may wait, a fraction of max_resources; 0 lets nothing wait
  Starting starting = Starting::still;
};

/// Jobs that may be in the queue: those that the free resources are about to take, and those that
/// the flood allows, both in whole jobs. Where the flood allows anything, a single job is always
/// tolerated: it does no harm, and wiping it would only have it submitted again.
[[nodiscard]] int tolerated_jobs(const WaitingJobs& jobs);

/// Waiting jobs beyond the tolerated ones, >= 0.
[[nodiscard]] int excess_jobs(const WaitingJobs& jobs);

}  // namespace gleaner::grid
