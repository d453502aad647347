#pragma once
#include <optional>
#include <string>
#include <vector>

#include "clients/api_client.hpp"
#include "lib/terminal/output.hpp"

/// Changes of the grid that a question "what if" assumes: the API plays the grid forward as it is and with them (POST /v1/what-if).
namespace gleaner::gridsub {

/// The body of the request.
/// @param words  `clusters_off=beta,gamma`, `order=fairshare`, `after=2h`, `campaigns.12.priority=2`, `campaigns.12.paused=true`
/// @param jdl    a campaign that would be submitted
/// Throws process::Error (usage) that names the word.
[[nodiscard]] std::string what_if_question(const std::vector<std::string>& words, const std::optional<std::string>& jdl);

/// One line per campaign: its end as it is and with the changes, and who gains and pays; then the assumptions.
[[nodiscard]] std::string describe_changed(const clients::Json& answer, const terminal::Screen& screen);

}  // namespace gleaner::gridsub
