#include "metascheduler/planner/allocate.hpp"

namespace gleaner::planner {

void allocate(const Placement& placement, Contender& contender) { placement.arrange(contender.candidates); }

}  // namespace gleaner::planner
