#pragma once
#include <optional>

#include "lib/grid/time.hpp"

/// Which forecasts of a campaign's end are kept, for comparison with its real end. Source: document 003, "forecast table includes
/// historical data".
namespace gleaner::prediction {

/// A forecast that was kept.
struct Kept {
  grid::Instant made;
  grid::Instant end;
};

/// Whether the present forecast of the end is kept too. The first one is. A later one is kept if the end has moved by 1/20 of the time that
/// remained at the last one kept, and the last one is at least a minute and 1/20 of the campaign's age old. So a campaign keeps at most 21
/// forecasts in its first 20 minutes, 105 in a day, 220 in a year.
[[nodiscard]] bool is_kept(const std::optional<Kept>& last, grid::Instant submitted, grid::Instant now, grid::Instant end);

}  // namespace gleaner::prediction
