#pragma once

namespace gleaner::grid {

/// Amounts of resources below this are none: what is left over when doubles are added and subtracted.
inline constexpr double kDust = 1e-9;

}  // namespace gleaner::grid
