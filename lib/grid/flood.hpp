#pragma once
#include <optional>

#include "lib/grid/time.hpp"

/// The jobs that may wait in a cluster's own queue. The planner sends no more, the predictor corrects its ratio by this number, and nikita
/// wipes the excess.
namespace gleaner::grid {

/// The greatest count of jobs: a quotient by a number near 0 would not fit an int.
inline constexpr double kMostJobs = 1e9;

/// The time in which a cluster should start a job that fits.
inline constexpr Seconds kSettling{15};

/// Whether the cluster's scheduler is still starting our jobs. OAR starts one or two a second, so jobs wait for some seconds beside the
/// free resources that they will take.
enum class Starting {
  still,  ///< a job started recently, or the oldest waiting job is recent
  stuck   ///< no job has started for a while: the waiting jobs cannot use the free resources
};

/// @param last_start  latest start of a job of the campaign on the cluster; empty: none started
/// @param oldest      submission of the job that waits longest there; empty: none waits
/// @param settle       the time in which the cluster should start a job
[[nodiscard]] Starting starting_of(std::optional<Instant> last_start, std::optional<Instant> oldest, Instant now, Seconds settle);

/// Jobs per resource of a campaign on a cluster where none of its jobs has started: one job takes the resources that the JDL's request
/// states. A request that leaves them open is for whole nodes, and one job then counts as that many of the biggest.
/// @param whole_nodes  resources of its nodes if each is the cluster's biggest; 0: unknown, and one job then takes one resource
[[nodiscard]] double first_ratio(std::optional<int> resources_per_job, double whole_nodes);

/// The jobs of one campaign that wait on one cluster, and the resources that they may wait for.
struct WaitingJobs {
  int waiting = 0;         ///< jobs in the cluster's queue
  double ratio = 1.0;      ///< jobs per resource
  int free_resources = 0;  ///< free when the jobs were counted
  int max_resources = 0;   ///< all resources of the cluster
  double flood = 0.0;      ///< may wait, as a fraction of max_resources; 0: no job may wait
  Starting starting = Starting::still;
};

/// Jobs that may be in the queue, in whole jobs: those that the free resources are about to take, plus those that the flood allows. If the
/// flood allows any, one job is always tolerated: it does no harm, and would only be submitted again.
[[nodiscard]] int tolerated_jobs(const WaitingJobs& jobs);

/// Waiting jobs beyond the tolerated ones, >= 0.
[[nodiscard]] int excess_jobs(const WaitingJobs& jobs);

}  // namespace gleaner::grid
