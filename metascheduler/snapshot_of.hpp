#pragma once
#include "lib/grid/planning_facts.hpp"
#include "lib/process/config.hpp"
#include "metascheduler/planner/snapshot.hpp"

namespace gleaner::metascheduler {

/// The planner's picture of the facts. Everything that depends on the clock and the configuration is decided here.
[[nodiscard]] planner::Snapshot snapshot_of(const grid::PlanningFacts& facts, const process::Config& config, grid::Instant now);

/// Jobs per resource of a pair: the forecast's, or the first one (grid::first_ratio). Under a headroom the lower of the two.
[[nodiscard]] double ratio_of(const grid::PairFacts& pair, const grid::ClusterFacts& cluster);

}  // namespace gleaner::metascheduler
