#pragma once
#include <vector>

#include "lib/process/run.hpp"

namespace gleaner::metascheduler {

/// The options of the metascheduler: its own, and all those of the planner, with the values that each may have.
[[nodiscard]] std::vector<process::Use> keys();

}  // namespace gleaner::metascheduler
