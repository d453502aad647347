#pragma once
#include <optional>
#include <string>
#include <string_view>

#include <tl/expected.hpp>

#include "api/identity.hpp"
#include "api/tokens.hpp"
#include "lib/http/message.hpp"
#include "lib/process/config.hpp"

/// Single sign-on: a web server that the configuration trusts logs people in, and names them in a header. Such a caller has the rights of a
/// browser's session (InPage): to a browser, a login at a web server is sent along with requests of any page, as a cookie is.
namespace gleaner::api {

inline constexpr std::string_view kUserHeader{"X-Gleaner-User"};

/// Whether the peer is such a web server: a user of the unix socket that `api_proxies` names, or the owner of a certificate with the
/// subject `api_proxy_subject`, which `api_proxy_authority` signed.
[[nodiscard]] bool is_web_server(const http::Request& request, const process::Config& config);

/// The user whom the header names. Empty: there is no header, or an empty one.
/// Error: why nobody is named: another peer sent it, it is given twice, it is no user's name, or a page of another site asks.
[[nodiscard]] tl::expected<std::optional<Caller>, std::string> named_caller(const http::Request& request, const Identities& identities,
                                                                            const process::Config& config);

}  // namespace gleaner::api
