#pragma once
#include "lib/grid/time.hpp"

namespace gleaner::grid {

/// Where a time that is forecast lies in 8 of 10 cases: in one of ten it is earlier, in one later.
struct Interval {
  Instant earliest;
  Instant latest;
  bool operator==(const Interval&) const = default;
};

}  // namespace gleaner::grid
