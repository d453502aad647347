#include "api/coding.hpp"

#include "api/etag.hpp"
#include "lib/http/coding.hpp"

namespace gleaner::api {
namespace {

/// Bytes. A shorter answer fits into one packet anyway.
constexpr std::size_t kLeastCompressed = 1000;
/// Bytes. It bounds what one request takes of a processor.
constexpr std::size_t kMostCompressed = std::size_t{4} << 20U;

/// Whether the answers of a route differ by what its client takes.
bool may_be_compressed(const http::Request& request, const Route& route) {
  return route.compression == Compression::allowed && (request.method == "GET" || request.method == "HEAD");
}

bool is_text(const http::Response& response) {
  const auto type = response.headers.find("Content-Type").value_or("");
  return type.starts_with("application/json") || type.starts_with("text/") || type.starts_with("application/openmetrics-text");
}

}  // namespace

Coding coding_of(const http::Request& request, const Route& route, const http::Response& response) {
  const auto size = response.body.size();
  const bool fits = !response.stream && !response.pass_on && size >= kLeastCompressed && size <= kMostCompressed;
  if (!may_be_compressed(request, route) || !fits || response.status != 200 || !is_text(response)) return Coding::identity;
  return http::prefers_gzip(request.headers.list("Accept-Encoding").value_or("")) ? Coding::gzip : Coding::identity;
}

Coding choose_form(const http::Request& request, const Route& route, http::Response& response) {
  const auto coding = coding_of(request, route, response);
  if (route.etag == Etag::sent) add_etag(request, response, coding);
  if (may_be_compressed(request, route)) response.headers.add("Vary", "Accept-Encoding");
  if (response.status != 200 || coding == Coding::identity) return Coding::identity;
  response.headers.add("Content-Encoding", "gzip");
  return coding;
}

}  // namespace gleaner::api
