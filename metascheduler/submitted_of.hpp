#pragma once
#include <optional>
#include <vector>

#include "lib/store/planning.hpp"
#include "metascheduler/planner/plan.hpp"

namespace gleaner::metascheduler {

/// The jobs that a plan assigned to each pair, for the predictor to learn from. Pairs that received jobs only in the last cycle are
/// reported as 0.
[[nodiscard]] std::vector<store::Submitted> submitted_of(const planner::Plan& plan, const grid::PlanningFacts& facts);

/// Seconds that a task must have run to get such a copy; nothing: any.
[[nodiscard]] std::optional<double> longer_than(const planner::Replicas& replicas, const grid::PlanningFacts& facts);

}  // namespace gleaner::metascheduler
