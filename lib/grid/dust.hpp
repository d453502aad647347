#pragma once

namespace gleaner::grid {

/// Amounts of resources below this count as 0: they are rounding errors of sums of doubles.
inline constexpr double kDust = 1e-9;

}  // namespace gleaner::grid
