#pragma once
#include "metascheduler/planner/orders/order.hpp"

namespace gleaner::planner {

/// Resources of one turn, if several campaigns share a plan: small enough to share well, and large enough that a plan has few turns
/// on a grid of any size.
[[nodiscard]] double slice_of(const Class& among);

/// Resource-seconds that the whole grid has in a day; never 0.
[[nodiscard]] double resource_day(const Snapshot& snapshot);

}  // namespace gleaner::planner
