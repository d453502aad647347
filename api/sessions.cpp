#include "api/sessions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "lib/inputs/sha256.hpp"
#include "lib/store/web_sessions.hpp"

namespace gleaner::api {
namespace {

constexpr std::string_view kCookie{"gleaner_session"};
/// Two grids that are forwarded to ports of one host have one name for their cookies there.
constexpr int kMostCookies = 4;

bool is_loopback(std::string_view host) { return host == "localhost" || host.starts_with("127.") || host == "[::1]"; }

/// The values of the cookies of this name, in their order.
std::vector<std::string_view> values_of(std::string_view cookies) {
  std::vector<std::string_view> values;
  while (!cookies.empty() && values.size() < kMostCookies) {
    const auto end = std::min(cookies.find(';'), cookies.size());
    auto one = cookies.substr(0, end);
    cookies.remove_prefix(std::min(end + 1, cookies.size()));
    one.remove_prefix(std::min(one.find_first_not_of(' '), one.size()));
    if (one.size() > kCookie.size() && one.starts_with(kCookie) && one[kCookie.size()] == '=')
      values.push_back(one.substr(kCookie.size() + 1));
  }
  return values;
}

}  // namespace

bool may_be_of_browser(const http::Request& request) {
  for (const std::string_view header : {"Sec-Fetch-Site", "Sec-Fetch-Mode", "Origin"}) {
    if (request.headers.find(header)) return true;
  }
  // Another site's name that was made to lead here. Where there is no TLS, browsers send nothing else that distinguishes them.
  const auto host = request.headers.find("Host").value_or("");
  const auto colon = host.rfind(':');
  const bool has_port = colon != std::string_view::npos && host.find(']', colon) == std::string_view::npos;
  return has_port && !is_loopback(host.substr(0, colon));
}

bool is_of_page(const http::Request& request) {
  if (const auto site = request.headers.find("Sec-Fetch-Site")) return *site == "same-origin";
  const auto origin = request.headers.find("Origin"), host = request.headers.find("Host");
  if (!origin || !host) return false;
  const auto scheme = origin->find("://");
  return scheme != std::string_view::npos && !host->empty() && origin->substr(scheme + 3) == *host;
}

std::optional<Caller> caller_of_session(const http::Request& request, Connections& connections) {
  const auto cookies = request.headers.find("Cookie");
  if (!cookies) return std::nullopt;
  const auto values = values_of(*cookies);
  if (values.empty()) return std::nullopt;
  const auto now = connections.now();
  return connections.read([&](store::Transaction& transaction) -> std::optional<Caller> {
    for (const auto value : values) {
      auto digest = inputs::sha256_of_text(value);
      if (auto owner = store::session_owner(transaction, digest, now)) {
        Caller caller{.user = std::move(owner->user), .role = owner->is_administrator ? Role::administrator : Role::user};
        caller.session = std::move(digest);
        return caller;
      }
    }
    return std::nullopt;
  });
}

std::string cookie_of(std::string_view token, Cookie kind) {
  return fmt::format("{}={}; Max-Age={}; HttpOnly; SameSite=Strict{}", kCookie, token, store::kSessionLasts.count(),
                     kind == Cookie::secure ? "; Secure" : "");
}

std::string removed_cookie() { return fmt::format("{}=; Max-Age=0; HttpOnly; SameSite=Strict", kCookie); }

}  // namespace gleaner::api
