#pragma once

namespace gleaner::grid {

/// The jobs of one campaign that wait on one cluster, and what could still take them.
struct WaitingJobs {
  int waiting = 0;          ///< jobs in the cluster's queue
  double ratio = 1.0;       ///< jobs per resource
  int free_resources = 0;   ///< free on the cluster when the jobs were counted
  int max_resources = 0;    ///< all that the cluster has
  double flood = 0.0;       ///< what may wait, a fraction of max_resources; 0 lets nothing wait
};

/// Whether the cluster's scheduler is still at work on its queue: OAR starts one or two jobs a
/// second, so for some seconds jobs wait beside free resources that they are about to take.
enum class Starting {
  still,  ///< some job started lately, or the oldest waiting one is young
  stuck   ///< nothing has started for a while: the free resources are of no use to these jobs
};

/// Of the waiting jobs, those that the free resources are about to take. None when `stuck`.
[[nodiscard]] int startable_jobs(const WaitingJobs& jobs, Starting starting);

/// Waiting jobs that the flood allows: flood * max_resources resources, in whole jobs.
[[nodiscard]] int allowed_jobs(const WaitingJobs& jobs);

/// Waiting jobs beyond the startable and the allowed ones, >= 0: what a wrong ratio leaves, and
/// what nikita wipes, the newest first.
[[nodiscard]] int excess_jobs(const WaitingJobs& jobs, Starting starting);

}  // namespace gleaner::grid
