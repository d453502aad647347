#pragma once
#include <optional>
#include <string>

#include <tl/expected.hpp>

#include "api/tokens.hpp"
#include "lib/http/message.hpp"
#include "lib/process/config.hpp"

/// For whom a request to CiGri's routes is.
namespace gleaner::api::cigri {

/// The caller. Without the header X-CIGRI-USER that is the peer itself. The header counts from a proxy alone: a peer with a token of a
/// proxy, or a user of the unix socket that `api_cigri_proxies` names. A proxy without the header, or with one that names nobody, has an
/// empty name, as a peer without an identity. A named user is an administrator only by `api_cigri_admins`, whatever the proxy is.
/// One that names users to the page alone (api/sign_on.hpp) is nobody here.
/// Error: why the request is refused: the header is given twice, or a peer that is no proxy names another user.
[[nodiscard]] tl::expected<Caller, std::string> caller_of(const http::Request& request, const std::optional<Caller>& peer,
                                                          const process::Config& config);

/// Whether a browser sent the request from a page of another server, which must change nothing: its user need not know of it.
[[nodiscard]] bool is_from_another_site(const http::Request& request);

}  // namespace gleaner::api::cigri
