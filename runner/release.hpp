#pragma once
#include "lib/process/config.hpp"
#include "lib/store/database.hpp"
#include "runner/runner.hpp"

namespace gleaner::runner {

/// Lets tasks of void launches go to other clusters, where grid::release_of allows it although they may run twice. Each gets a new attempt;
/// the event TASKS_RELEASED lists them and the reason.
void release_tasks(store::Transaction& transaction, const process::Config& config, grid::Instant now, Counts& counts);

/// Lets tasks begin anew on other clusters that waited for the cluster with their checkpoint for checkpoint_patience, or whose cluster is
/// disabled or retired.
void release_kept_tasks(store::Transaction& transaction, const process::Config& config, grid::Instant now, Counts& counts);

}  // namespace gleaner::runner
