#pragma once
#include <vector>

#include "metascheduler/planner/candidate.hpp"

namespace gleaner::planner {

/// Stage 3. Limits: the JDL's max_jobs on the jobs of a campaign that live on a cluster, those of
/// unknown launches included.
void throttle(Contender& contender, std::vector<Decision>& decisions);

}  // namespace gleaner::planner
