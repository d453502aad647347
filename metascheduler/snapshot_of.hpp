#pragma once
#include "lib/process/config.hpp"
#include "lib/store/planning.hpp"
#include "metascheduler/planner/snapshot.hpp"

namespace gleaner::metascheduler {

/// The planner's picture of what the database holds. All that depends on the clock is decided here.
[[nodiscard]] planner::Snapshot snapshot_of(const store::PlanningFacts& facts, const process::Config& config, grid::Instant now);

/// Jobs per resource of a pair: the forecast's, or the first one, from what the JDL asks.
[[nodiscard]] double ratio_of(const store::PlanningPair& pair);

}  // namespace gleaner::metascheduler
