#pragma once
#include <optional>
#include <string_view>

#include "lib/grid/time.hpp"
#include "lib/process/run.hpp"

namespace gleaner::gridusage {

/// Shows what jobs used, and for what.
process::Outcome gridusage(const process::Context& context);

/// A day, `2026-11-20` (UTC, its first moment), or an age, `30d`. Empty: neither.
[[nodiscard]] std::optional<grid::Instant> day_of(std::string_view text, grid::Instant now);

}  // namespace gleaner::gridusage
