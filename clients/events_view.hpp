#pragma once
#include <string>
#include <vector>

#include "clients/json.hpp"
#include "lib/grid/time.hpp"
#include "lib/terminal/output.hpp"

/// Renders events of the API as text. Pure functions.
namespace gleaner::clients {

/// The subject of a list of events: one campaign, or any part of the grid, so that each event names its campaign.
enum class EventsOf { one_campaign, grid };

/// Events with their whole messages, which may include the last lines of stderr. `No events!` without any, which scripts compare.
[[nodiscard]] std::string events_text(const std::vector<Json>& events, EventsOf of, const terminal::Screen& screen, grid::Instant now);
[[nodiscard]] terminal::Table events_table(const std::vector<Json>& events, terminal::Heading heading, grid::Instant now);

}  // namespace gleaner::clients
