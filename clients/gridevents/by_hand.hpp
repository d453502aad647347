#pragma once
#include <cstdint>
#include <vector>

#include "clients/api_client.hpp"
#include "lib/process/run.hpp"
#include "lib/terminal/output.hpp"

namespace gleaner::gridevents {

/// Whether the command line opens an event by hand (--blacklist-cluster, --mark-job-event). Throws process::Error (usage) for options that
/// do not go together.
[[nodiscard]] bool opens_by_hand(const process::Arguments& arguments);

/// Opens the event, and shows its id.
/// @param campaigns  those that the cluster shall get no job of; none: all of the grid
process::Outcome open_by_hand(clients::ApiClient& api, terminal::Output& output, const process::Context& context,
                              const std::vector<std::int64_t>& campaigns);

}  // namespace gleaner::gridevents
