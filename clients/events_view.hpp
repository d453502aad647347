#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "clients/json.hpp"
#include "lib/grid/time.hpp"
#include "lib/terminal/output.hpp"

/// Renders events of the API as text. Pure functions.
namespace gleaner::clients {

/// Seconds since 1970 of a date of the API, `2026-11-20T18:14:56Z`. Empty: it is none.
[[nodiscard]] std::optional<std::int64_t> seconds_of(std::string_view date);

/// What a list of events is of: one campaign, or any part of the grid, so that each event names its campaign.
enum class EventsOf { one_campaign, grid };

/// Events with their whole messages, which may include the last lines of stderr. `No events!` without any, which scripts compare.
[[nodiscard]] std::string events_text(const std::vector<Json>& events, EventsOf of, const terminal::Screen& screen, grid::Instant now);
[[nodiscard]] terminal::Table events_table(const std::vector<Json>& events, terminal::Heading heading, grid::Instant now);

}  // namespace gleaner::clients
