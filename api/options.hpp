#pragma once
#include "api/server.hpp"
#include "lib/process/config.hpp"

namespace gleaner::api {

/// The options of gridapi, by the configuration. Throws process::Error (usage) if it does not suffice for an API: no address to listen on,
/// an address reachable from other hosts without TLS, no tokens for TCP, files that cannot be used, a path of
/// CiGri's API that hides ours.
[[nodiscard]] ApiOptions options_of(const process::Config& config);

}  // namespace gleaner::api
