#pragma once
#include <functional>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "api/router.hpp"

/// CiGri's API, as a translation of requests and answers: each of its routes asks our routes as the same caller, who can do nothing here
/// that our routes do not allow.
namespace gleaner::api::cigri {

// Each file defines one table.
[[nodiscard]] std::span<const Route> campaign_routes();
[[nodiscard]] std::span<const Route> job_routes();
[[nodiscard]] std::span<const Route> event_routes();
[[nodiscard]] std::span<const Route> cluster_routes();
[[nodiscard]] std::span<const Route> service_routes();

/// All routes. `Access::anybody` may be read without a name where `api_cigri_public` is set.
[[nodiscard]] std::vector<Route> all_routes();

/// Whether the path is that of CiGri's API. An empty `where`: there is none.
[[nodiscard]] bool is_below(std::string_view where, std::string_view path);

/// Calls the route's function.
using Respond = std::function<http::Response(const Match& match, const http::Request& request, const Caller& caller)>;

/// Answers a request whose path is below `api_cigri_path`.
/// @param peer  who sends it; empty: unknown
[[nodiscard]] http::Response respond_to(const http::Request& request, const std::optional<Caller>& peer, const process::Config& config,
                                        const Respond& respond);

}  // namespace gleaner::api::cigri
