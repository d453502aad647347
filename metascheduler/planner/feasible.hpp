#pragma once
#include <vector>

#include "metascheduler/planner/candidate.hpp"
#include "metascheduler/planner/plan.hpp"

namespace gleaner::planner {

/// Stage 1. The campaigns and clusters that can be planned at all: states, brakes, clusters that
/// answer, users known there, requests that the cluster could ever satisfy. The others get their
/// decision in `plan`, and so do the returned tasks that need not wait for their cluster.
/// The result is in the order of the ids.
[[nodiscard]] std::vector<Contender> feasible(const Snapshot& snapshot, Plan& plan);

}  // namespace gleaner::planner
