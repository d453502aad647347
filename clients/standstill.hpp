#pragma once
#include <string>

#include "clients/json.hpp"
#include "lib/grid/time.hpp"
#include "lib/terminal/output.hpp"

namespace gleaner::clients {

/// Reports to the user, on stderr, that the grid stands still.
/// @param since  as ApiClient::standstill(); null: nothing is reported
void report_standstill(const Json& since, terminal::Output& output, grid::Instant now);

}  // namespace gleaner::clients
