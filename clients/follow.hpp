#pragma once
#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "clients/api_client.hpp"
#include "lib/process/exit_code.hpp"
#include "lib/terminal/output.hpp"

/// Waits for campaigns to end.
namespace gleaner::clients {

struct Following {
  std::vector<std::int64_t> ids;
  std::chrono::milliseconds period{1000};                          ///< between two requests, where changes follow each other
  std::chrono::milliseconds slowest{60'000};                       ///< the same without a change
  std::optional<std::chrono::milliseconds> time_limit{};           ///< of the whole wait
  std::function<void(const std::vector<Json>& campaigns)> show{};  ///< called after each request
  /// The outcome of the wait when no campaign can end unless its user acts: cannot_end() of all that have not.
  enum class Stuck { ends_it, is_watched } stuck = Stuck::ends_it;
};

/// Reads the campaigns whenever something of them changes (ChangeStream), until all have ended. If the API becomes unreachable, or the
/// grid stands still, the function reports it once, and waits for it. Returns `ok` if every task of all campaigns is done, `failure` if
/// some failed or were cancelled, `refused` if none can end unless its user acts, with a line for each, `try_again` if the time limit has
/// passed, or a stop is requested (process::stop_requested). Throws Error (not_found) for an unknown campaign.
[[nodiscard]] process::ExitCode follow(ApiClient& api, terminal::Output& output, const Following& following);

/// The campaigns as the API returns them, in the order of their ids. Throws Error (not_found) if one does not exist.
[[nodiscard]] std::vector<Json> campaigns_of(ApiClient& api, const std::vector<std::int64_t>& ids);

struct CannotEnd {
  std::string why;        ///< and what to do, as the API states it; empty: the campaign may end
  bool may_pass = false;  ///< it goes on without its user
};

/// Why a campaign does not end unless somebody acts. It may end if a task of it is in flight, or the API cannot be reached. One request if
/// none is.
[[nodiscard]] CannotEnd cannot_end(ApiClient& api, const Json& campaign);

[[nodiscard]] bool has_ended(const Json& campaign);
/// True: every task is done.
[[nodiscard]] bool has_succeeded(const Json& campaign);

}  // namespace gleaner::clients
