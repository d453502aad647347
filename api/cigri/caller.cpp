#include "api/cigri/caller.hpp"

#include <strings.h>

#include <algorithm>
#include <string_view>

#include <fmt/format.h>

#include "api/cigri/words.hpp"
#include "api/sign_on.hpp"
#include "lib/jdl/problem.hpp"

namespace gleaner::api::cigri {
namespace {

constexpr std::string_view kHeader{"X-CIGRI-USER"};

bool same_text(std::string_view a, std::string_view b) { return a.size() == b.size() && ::strncasecmp(a.data(), b.data(), a.size()) == 0; }

bool holds(const std::vector<std::string>& names, const std::string& name) { return std::ranges::find(names, name) != names.end(); }

bool is_proxy(const http::Request& request, const Caller& peer, const process::Config& config) {
  // On the socket the kernel's word counts, over TCP that of the file of tokens.
  return request.peer.process ? holds(config.api_cigri_proxies, peer.user) : peer.role == Role::proxy;
}

}  // namespace

tl::expected<Caller, std::string> caller_of(const http::Request& request, const std::optional<Caller>& peer,
                                            const process::Config& config) {
  const auto& fields = request.headers.all();
  const auto count = std::ranges::count_if(fields, [](const auto& field) { return same_text(field.first, kHeader); });
  if (count > 1) return tl::unexpected{fmt::format("the header {} is given {} times, so that it names nobody", kHeader, count)};
  const auto named = request.headers.find(kHeader);
  if (peer && is_proxy(request, *peer, config)) {
    if (!named || !is_user(*named)) return Caller{};
    const std::string user{*named};
    return Caller{user, holds(config.api_cigri_admins, user) ? Role::administrator : Role::user, peer->user};
  }
  const auto own = peer ? std::string_view{peer->user} : std::string_view{};
  if (named && is_user(*named) && *named != own)
    return tl::unexpected{
        fmt::format("the header {} names {}, and does not count from {}: api_cigri_proxies, or a token with the word "
                    "'proxy', allows to name others",
                    kHeader, jdl::excerpt(*named), own.empty() ? std::string{"here"} : jdl::excerpt(own))};
  return is_web_server(request, config) ? Caller{} : peer.value_or(Caller{});
}

bool is_from_another_site(const http::Request& request) {
  if (const auto site = request.headers.find("Sec-Fetch-Site"); site && *site != "same-origin" && *site != "none") return true;
  const auto origin = request.headers.find("Origin");
  if (!origin) return false;
  const auto scheme = origin->find("://");
  const auto host = request.headers.find("Host");
  return scheme == std::string_view::npos || !host || !same_text(origin->substr(scheme + 3), *host);
}

}  // namespace gleaner::api::cigri
