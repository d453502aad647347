#pragma once
#include "lib/grid/planning_facts.hpp"
#include "lib/process/config.hpp"
#include "lib/store/database.hpp"

namespace gleaner::metascheduler {

/// A task counts as expired only when at least this many jobs of its campaign are done.
inline constexpr int kMinJobsDone = 10;

/// The facts for a plan, read in one transaction. A fact that neither the configured policies
/// nor the campaigns use is not read: each costs a query in every cycle.
[[nodiscard]] grid::PlanningFacts facts_of(store::Transaction& transaction, const process::Config& config, grid::Instant now);

}  // namespace gleaner::metascheduler
