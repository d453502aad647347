#pragma once
#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "clients/api_client.hpp"
#include "lib/process/exit_code.hpp"
#include "lib/terminal/output.hpp"

/// Waiting for campaigns to end.
namespace gleaner::clients {

struct Following {
  std::vector<std::int64_t> ids;
  std::chrono::milliseconds period{1000};                          ///< between two looks
  std::optional<std::chrono::milliseconds> time_limit{};           ///< of the whole wait
  std::function<void(const std::vector<Json>& campaigns)> show{};  ///< called at each look
};

/// Looks at the campaigns until all have ended. An API that goes away in the meantime is waited
/// for, and said once. `ok` when every task of all is done, `failure` when some failed or were
/// cancelled, `try_again` when the time is over. Throws Error (not_found) for an unknown campaign.
[[nodiscard]] process::ExitCode follow(ApiClient& api, terminal::Output& output, const Following& following);

/// The campaigns as the API shows them, in the order of their ids. Throws Error (not_found) when
/// one does not exist.
[[nodiscard]] std::vector<Json> campaigns_of(ApiClient& api, const std::vector<std::int64_t>& ids);

[[nodiscard]] bool has_ended(const Json& campaign);
/// Whether every task is done.
[[nodiscard]] bool has_succeeded(const Json& campaign);

}  // namespace gleaner::clients
