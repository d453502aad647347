#pragma once
#include "lib/grid/planning_facts.hpp"
#include "lib/process/config.hpp"
#include "lib/store/database.hpp"

namespace gleaner::metascheduler {

/// Jobs of a campaign that are done, without which none of its tasks runs too long.
inline constexpr int kTellingEnds = 10;

/// What a plan needs to know, read in one transaction. A fact that neither the configured policies
/// nor the campaigns at hand look at is not asked for: each is a query more in every cycle.
[[nodiscard]] grid::PlanningFacts facts_of(store::Transaction& transaction, const process::Config& config, grid::Instant now);

}  // namespace gleaner::metascheduler
