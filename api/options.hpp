#pragma once
#include "api/server.hpp"
#include "lib/process/config.hpp"

namespace gleaner::api {

/// The options of gridapi.
/// Throws process::Error (usage) when the configuration is not one for an API: nothing to listen on, an address that others can reach
/// without TLS, no tokens for TCP, files that cannot be used.
[[nodiscard]] ApiOptions options_of(const process::Config& config);

}  // namespace gleaner::api
