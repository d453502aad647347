#include "api/cigri/gate.hpp"

#include <fmt/format.h>

#include "api/cigri/ask.hpp"
#include "api/cigri/body.hpp"
#include "api/cigri/caller.hpp"
#include "api/cigri/words.hpp"
#include "api/sign_on.hpp"

namespace gleaner::api::cigri {
namespace {

constexpr std::string_view kPrefix{"X-CIGRI-API-PATH-PREFIX"};

bool reads(std::string_view method) { return method == "GET" || method == "HEAD"; }

/// The path behind `where`. The path of a file on a cluster becomes one part: `/clusters/1/a/b` is `/clusters/1/a%2Fb`.
std::string inner_path(const http::Request& request, std::string_view where) {
  constexpr std::string_view kClusters{"/clusters/"};
  auto path = request.path.substr(where.size());
  if (path.empty()) return "/";
  if (!path.starts_with(kClusters)) return path;
  const auto file = path.find('/', kClusters.size());
  for (auto slash = path.find('/', file + 1); file != std::string::npos && slash != std::string::npos; slash = path.find('/', slash))
    path.replace(slash, 1, "%2F");
  return path;
}

/// The headers that CiGri's routes read, and no others.
http::Headers inner_headers(const http::Request& outer, const Received& received) {
  http::Headers headers;
  headers.add("Content-Type", "application/json");
  for (const auto* name : {"Idempotency-Key", "X-CIGRI-API-PATH-PREFIX"}) {
    if (const auto value = outer.headers.find(name)) headers.add(name, std::string{*value});
  }
  const auto length = outer.headers.find("Content-Length");
  if (length && !received.body) headers.add("Content-Length", std::string{*length});
  return headers;
}

/// Why nothing of the request is looked at.
std::optional<http::Response> obstacle(const http::Request& request, const Caller& caller) {
  if (const auto prefix = request.headers.find(kPrefix); prefix && !is_prefix(*prefix))
    return refusal(400, fmt::format("{}: '{}' is no path of letters, digits, - . _ and ~", kPrefix, jdl::excerpt(*prefix)));
  if (reads(request.method)) return std::nullopt;
  if (caller.user.empty()) return refusal(403, "Access denied: not authenticated");
  if (is_from_another_site(request)) return refusal(403, "Access denied: a page of another site may change nothing");
  return std::nullopt;
}

http::Response not_found(const http::Request& request) {
  return refusal(404, fmt::format("{} {} not found on this server", jdl::excerpt(request.method), jdl::excerpt(request.path)));
}

/// The methods of a path, whatever the request's.
std::string allowed_of(const std::vector<Route>& routes, const std::string& path) {
  const auto found = find_route(routes, "", path);
  const auto* const wrong = std::get_if<WrongMethod>(&found);
  return wrong == nullptr ? std::string{} : wrong->allowed;
}

/// Those of a path; a form's POST stands for PUT and DELETE (`_method`).
std::string allowed_methods(const std::vector<Route>& routes, const std::string& path) {
  auto allowed = allowed_of(routes, path);
  const auto has = [&](std::string_view method) { return allowed.find(method) != std::string::npos; };
  if (!has("POST") && (has("PUT") || has("DELETE"))) allowed += ", POST";
  return allowed;
}

http::Response dispatch(const http::Request& inner, const std::vector<Route>& routes, const Caller& caller, const process::Config& config,
                        const Respond& respond) {
  const auto found = find_route(routes, inner.method, inner.path);
  if (std::holds_alternative<NoSuchPath>(found)) return not_found(inner);
  if (const auto* wrong = std::get_if<WrongMethod>(&found)) {
    const auto message =
        fmt::format("{} is not for {}, which takes {}", jdl::excerpt(inner.method), jdl::excerpt(inner.path), wrong->allowed);
    return acknowledgement(405, "Method not allowed", message);
  }
  const auto& match = std::get<Match>(found);
  const bool is_public = match.route->access == Access::anybody && reads(inner.method) && config.api_cigri_public;
  if (caller.user.empty() && !is_public) return refusal(403, "Access denied: not authenticated");
  if (const auto wrong = wrong_key(inner, *match.route)) return refusal(400, *wrong);
  return respond(match, inner, caller);
}

}  // namespace

std::vector<Route> all_routes() {
  std::vector<Route> all;
  for (const auto table : {campaign_routes(), job_routes(), event_routes(), cluster_routes(), service_routes()})
    all.insert(all.end(), table.begin(), table.end());
  return all;
}

bool is_below(std::string_view where, std::string_view path) {
  if (where.empty() || !path.starts_with(where)) return false;
  return path.size() == where.size() || path[where.size()] == '/';
}

http::Response respond_to(const http::Request& request, const std::optional<Caller>& peer, const process::Config& config,
                          const Respond& respond) {
  static const auto routes = all_routes();
  // Where the page is passed on, no web server sets X-CIGRI-USER: a visitor of the page could send it.
  if (request.headers.find(kUserHeader)) return refusal(403, fmt::format("Access denied: {} is for the page alone", kUserHeader));
  const auto caller = caller_of(request, peer, config);
  if (!caller) return refusal(403, fmt::format("Access denied: {}", caller.error()));
  if (auto refused = obstacle(request, *caller)) return std::move(*refused);
  const auto received = receive(request);
  if (!received) return translated_refusal(*caller, received.error());
  http::Request inner{.method = received->method,
                      .target = request.target,
                      .path = inner_path(request, config.api_cigri_path),
                      .query = received->query,
                      .headers = inner_headers(request, *received),
                      .peer = request.peer,
                      .body = received->body ? received->body.get() : request.body};
  auto response = dispatch(inner, routes, *caller, config, respond);
  if (auto allowed = allowed_methods(routes, inner.path); !allowed.empty()) response.headers.add("Allow", std::move(allowed));
  return response;
}

}  // namespace gleaner::api::cigri
