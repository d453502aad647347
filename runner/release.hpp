#pragma once
#include "lib/process/config.hpp"
#include "lib/store/database.hpp"
#include "runner/runner.hpp"

namespace gleaner::runner {

/// Lets tasks of void launches go to other clusters, where that is allowed at the risk that they run
/// twice (grid::release_of): each with a new attempt, and with an event that says which, and why.
void release_tasks(store::Transaction& transaction, const process::Config& config, Counts& counts);

}  // namespace gleaner::runner
