#pragma once
#include <vector>

#include "metascheduler/planner/plan.hpp"
#include "metascheduler/planner/size.hpp"

namespace gleaner::planner {

/// Stage 7. The launches of one campaign: each share in arrays that its cluster takes.
void emit(std::vector<Share> shares, Plan& plan);

}  // namespace gleaner::planner
