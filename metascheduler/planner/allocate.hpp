#pragma once
#include "metascheduler/planner/candidate.hpp"
#include "metascheduler/planner/placements/placement.hpp"

namespace gleaner::planner {

/// Stage 5. Which clusters the campaign gets first: the placement policy's word.
void allocate(const Placement& placement, Contender& contender);

}  // namespace gleaner::planner
