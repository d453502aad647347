#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "clients/api_client.hpp"
#include "lib/process/exit_code.hpp"
#include "lib/terminal/output.hpp"

/// gridsub --wait.
namespace gleaner::gridsub {

/// Waits for the campaigns to end, as clients::follow. On a terminal stderr shows how far they are; at the end it has a line for each.
/// After SIGINT or SIGTERM stderr says that the campaigns go on, and the program ends by SIGINT.
[[nodiscard]] process::ExitCode wait_for(clients::ApiClient& api, terminal::Output& output, terminal::Form form,
                                         const std::vector<std::int64_t>& ids);

/// `Campaign 12: 5 of 6 tasks done, 1 failed: gridstat 12 --state failed`.
[[nodiscard]] std::string end_line(const clients::Json& campaign);
/// `[####  ] 80 of 200 done, 4 running, 1 failed`, of all the campaigns together, in at most so many columns.
[[nodiscard]] std::string progress_line(const std::vector<clients::Json>& campaigns, std::size_t columns);

}  // namespace gleaner::gridsub
