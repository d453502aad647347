#pragma once
#include <optional>

#include "lib/grid/time.hpp"

/// Which forecasts of a campaign's end are kept, to be compared with its end. Source: spec/003, "forecast table includes historical data".
namespace gleaner::prediction {

/// A forecast that was kept.
struct Kept {
  grid::Instant made;
  grid::Instant end;
};

/// Whether the end that is forecast now is kept too. The first one is. A later one is when the end has moved by a twentieth of the time
/// that remained until the last one kept, and the last one is at least a minute old, and a twentieth of the campaign's age. So a
/// campaign keeps at most 21 forecasts in its first 20 minutes, 105 in a day, 220 in a year.
[[nodiscard]] bool is_kept(const std::optional<Kept>& last, grid::Instant submitted, grid::Instant now, grid::Instant end);

}  // namespace gleaner::prediction
