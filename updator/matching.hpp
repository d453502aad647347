#pragma once
#include "lib/fleet/fleet.hpp"

namespace gleaner::updator {

/// Requests from the cluster how many of its resources have the properties that campaigns request there, and stores the answers. Only pairs
/// without an answer, or with an old one, are included: a few requests per turn, one for equal properties. After a failure there is no
/// answer, and the planner sends only a few jobs at first.
void match_properties(fleet::Visit& visit);

}  // namespace gleaner::updator
