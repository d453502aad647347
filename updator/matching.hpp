#pragma once
#include "lib/fleet/fleet.hpp"

namespace gleaner::updator {

/// Asks the cluster how many of its resources have the properties that campaigns ask for there, where it has not told yet or not for
/// some time, and notes the answers. A few questions in each turn; equal properties are asked for once. What fails costs nothing but
/// the answer: the planner lets a few jobs go first then.
void match_properties(fleet::Visit& visit);

}  // namespace gleaner::updator
