#include "api/sign_on.hpp"

#include <strings.h>

#include <algorithm>

#include <fmt/format.h>

#include "api/cigri/words.hpp"
#include "lib/jdl/problem.hpp"

namespace gleaner::api {
namespace {

bool is_user_header(std::string_view name) {
  return name.size() == kUserHeader.size() && ::strncasecmp(name.data(), kUserHeader.data(), name.size()) == 0;
}

/// As the audit and messages call the peer.
std::string name_of_peer(const http::Request& request) {
  if (const auto& process = request.peer.process) return process->user.empty() ? fmt::format("uid {}", process->uid) : process->user;
  return request.peer.certificate.value_or(request.peer.address.substr(0, request.peer.address.rfind(':')));
}

}  // namespace

bool is_web_server(const http::Request& request, const process::Config& config) {
  if (const auto& process = request.peer.process)
    return !process->user.empty() && std::ranges::find(config.api_proxies, process->user) != config.api_proxies.end();
  return !config.api_proxy_subject.empty() && request.peer.certificate == config.api_proxy_subject;
}

tl::expected<std::optional<Caller>, std::string> named_caller(const http::Request& request, const Identities& identities,
                                                              const process::Config& config) {
  const auto count = std::ranges::count_if(request.headers.all(), [](const auto& field) { return is_user_header(field.first); });
  if (count == 0) return std::nullopt;
  if (!is_web_server(request, config))
    return tl::unexpected{
        fmt::format("the header {} does not count from {}: only a web server that api_proxies or api_proxy_subject names "
                    "may send it",
                    kUserHeader, jdl::excerpt(name_of_peer(request)))};
  if (count > 1) return tl::unexpected{fmt::format("the header {} is given {} times, so that it names nobody", kUserHeader, count)};
  const auto name = *request.headers.find(kUserHeader);
  if (name.empty()) return std::nullopt;
  if (!cigri::is_user(name)) return tl::unexpected{fmt::format("the header {} has no user's name: {}", kUserHeader, jdl::excerpt(name))};
  // As a cookie with SameSite=Strict would not be sent.
  if (request.headers.find("Sec-Fetch-Site") == std::optional<std::string_view>{"cross-site"})
    return tl::unexpected{std::string{"a page of another site asks: open the grid's own page"}};
  Caller caller{.user = std::string{name}, .role = identities.role_of_user(std::string{name})};
  caller.web_server = name_of_peer(request);
  return caller;
}

}  // namespace gleaner::api
