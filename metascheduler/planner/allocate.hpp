#pragma once
#include <vector>

#include "metascheduler/planner/candidate.hpp"
#include "metascheduler/planner/placements/placement.hpp"

namespace gleaner::planner {

/// Stage 5. Which clusters the campaign gets first: the JDL's order of clusters, then those on which
/// its tasks have not failed lately, then the placement policy's word.
void allocate(const Placement& placement, const Contender& contender, std::vector<Candidate*>& candidates);

}  // namespace gleaner::planner
