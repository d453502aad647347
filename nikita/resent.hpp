#pragma once
#include <vector>

#include "lib/fleet/fleet.hpp"
#include "lib/store/kills.hpp"

namespace gleaner::nikita {

/// OAR submits an idempotent job again by itself, also where the first run ended as it should: its launch was given up although it began,
/// or its exit status is 99. The task is settled by then, and nobody follows the second job, which would hold its resources until it begins
/// and finds the claim, or until its walltime.
///
/// Gives each kill of this reason (KillReason::resent) the id of what was submitted in the job's place last. Kills without such a job, or
/// whose job is over, are dropped in the database; those about which the cluster did not answer are left for the next turn. Cost: two
/// requests for most kills; a chain of resubmissions is followed for 8.
[[nodiscard]] std::vector<store::PendingKill> resolve_resent(fleet::Visit& visit, std::vector<store::PendingKill> kills);

}  // namespace gleaner::nikita
