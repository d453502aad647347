// The page for browsers: its files, as they were built in. It asks the API for what it shows, as any client does.
#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "api/router.hpp"
#include "api/web_assets.hpp"
#include "lib/http/coding.hpp"

namespace gleaner::api {
namespace {

constexpr std::string_view kDocument{"index.html"};

/// Nothing that a user wrote can become a script, and no other site is asked for anything. Which may show the page within their own is
/// configured.
std::string policy_of(const process::Config& config) {
  std::string ancestors;
  for (const auto& origin : config.api_frame_ancestors) ancestors += origin == "self" ? " 'self'" : " " + origin;
  return fmt::format(
      "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; "
      "frame-ancestors{}; require-trusted-types-for 'script'",
      ancestors.empty() ? " 'none'" : ancestors);
}

http::Response file_answer(const Call& call, const WebAsset& asset) {
  http::Response response;
  response.headers.add("Content-Type", std::string{asset.type});
  response.headers.add("Vary", "Accept-Encoding");
  if (http::prefers_gzip(call.request.headers.list("Accept-Encoding").value_or(""))) {
    response.headers.add("Content-Encoding", "gzip");
    response.body = asset.gzip;
  } else {
    response.body = asset.content;
  }
  response.headers.add("Content-Security-Policy", policy_of(call.config));
  response.headers.add("X-Content-Type-Options", "nosniff");
  response.headers.add("Referrer-Policy", "no-referrer");
  response.headers.add("Cross-Origin-Opener-Policy", "same-origin");
  return response;
}

const WebAsset* asset_of(std::string_view name) {
  const auto all = web_assets();
  const auto found = std::ranges::find(all, name, &WebAsset::name);
  return found == all.end() ? nullptr : &*found;
}

http::Response lead_to(unsigned status) {
  http::Response response;
  response.status = status;
  response.headers.add("Location", "ui/");
  return response;
}

http::Response show_page(const Call& call) {
  const auto* const page = asset_of(kDocument);
  if (page == nullptr) return error(Code::no_such_path, "this gridapi was built without its page (GLEANER_WEB=OFF)");
  if (!call.request.path.ends_with('/')) return lead_to(308);
  return file_answer(call, *page);
}

http::Response show_file(const Call& call) {
  const auto* const asset = asset_of(call.parts[0]);
  if (asset == nullptr || asset->name == kDocument)
    return error(Code::no_such_path,
                 fmt::format("the page has no file '{}': it may be of another version; load the page again", jdl::excerpt(call.parts[0])));
  auto response = file_answer(call, *asset);
  response.headers.add("Cache-Control", "public, max-age=31536000, immutable");
  return response;
}

}  // namespace

std::optional<http::Response> refuse_without_page(std::span<const WebAsset> assets) {
  if (!assets.empty()) return std::nullopt;
  return error(
      Code::wrong_state,
      "this gridapi was built without the page for browsers (GLEANER_WEB=OFF), so a link would lead nowhere: use the commands, or ask "
      "the grid's administrators for a gridapi with the page");
}

std::optional<http::Response> lead_to_page(const http::Request& request) {
  const bool is_browser = request.headers.find("Accept").value_or("").find("text/html") != std::string_view::npos;
  if (!is_browser || request.method != "GET" || request.path != "/" || web_assets().empty()) return std::nullopt;
  return lead_to(303);
}

std::span<const Route> page_routes() {
  static constexpr std::array kRoutes{
      Route{"GET", "/ui", Access::anybody, show_page, kAnyKeys, Etag::sent, Compression::never},
      Route{"GET", "/ui/:name", Access::anybody, show_file, {}, Etag::none, Compression::never},
  };
  return kRoutes;
}

}  // namespace gleaner::api
