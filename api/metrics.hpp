#pragma once
#include <string>

#include "api/figures.hpp"
#include "api/request_counts.hpp"
#include "lib/http/message.hpp"

namespace gleaner::api {

/// Whether a caller who is no administrator may read /metrics: by the token of its own, or by its address. The token's file is read each
/// time, so that a new token counts at once.
[[nodiscard]] bool may_measure(const http::Request& request, const process::Config& config);

/// The answer to GET /metrics: what gridapi knows itself, and the figures of the database if they come in time.
[[nodiscard]] http::Response measure(const http::Request& request, const process::Config& config, Figures& figures,
                                     const RequestCounts& requests);

/// The word of /health for what keeps the grid from its work: ok, degraded, standstill or unavailable.
[[nodiscard]] std::string_view health_word(const std::vector<fleet::Trouble>& troubles);

}  // namespace gleaner::api
