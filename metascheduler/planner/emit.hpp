#pragma once
#include "metascheduler/planner/draft.hpp"

namespace gleaner::planner {

/// Stage 7. The launches: what each candidate got, in arrays that its cluster takes.
void emit(Draft& draft);

}  // namespace gleaner::planner
