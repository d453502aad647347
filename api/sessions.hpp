#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "api/connections.hpp"
#include "api/tokens.hpp"
#include "lib/http/message.hpp"

/// Sessions of browsers. A command gives a code (`gridstat --web`), the page exchanges it for a session, and a cookie carries
/// the session. A session reads what its user may read, and does what the routes for the page do (InPage::act).
namespace gleaner::api {

/// Whether a browser sent the request, or may have: for it, the kernel's word for the other end of a unix socket proves nothing. A port
/// that ssh forwards to the socket belongs to everybody on the user's machine, and to each page that a browser shows there.
[[nodiscard]] bool may_be_of_browser(const http::Request& request);

/// Whether the request comes from a page of this very origin, as its browser says: Sec-Fetch-Site, else, where there is no encryption and
/// no localhost, Origin and Host. The cookie alone does not prove it: to a browser all ports of a host are one site.
[[nodiscard]] bool is_of_page(const http::Request& request);

/// The caller of the session in a request's cookies. Empty: there is no session, or it is over. Throws store::Unavailable.
[[nodiscard]] std::optional<Caller> caller_of_session(const http::Request& request, Connections& connections);

/// The header Set-Cookie. It has no path: the browser takes the folder of the request's path, also below the prefix of a proxy.
enum class Cookie { plain, secure };
[[nodiscard]] std::string cookie_of(std::string_view token, Cookie kind);
/// The header that removes it.
[[nodiscard]] std::string removed_cookie();

}  // namespace gleaner::api
