#pragma once
#include "lib/grid/time.hpp"

namespace gleaner::grid {

/// The 80 % interval of a forecast time: one case in ten is earlier, one in ten later.
struct Interval {
  Instant earliest;
  Instant latest;
  bool operator==(const Interval&) const = default;
};

}  // namespace gleaner::grid
