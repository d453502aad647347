// Routes by which people sign in to the page, and out.
#include <array>

#include <fmt/format.h>

#include "api/router.hpp"
#include "api/secret.hpp"
#include "api/sessions.hpp"
#include "api/web_assets.hpp"
#include "lib/inputs/sha256.hpp"
#include "lib/process/log.hpp"
#include "lib/store/web_sessions.hpp"

namespace gleaner::api {
namespace {

constexpr std::size_t kLongestCode = 1000;

http::Response give_code(const Call& call) {
  if (auto refused = refuse_without_page(web_assets())) return std::move(*refused);
  const auto code = new_secret();
  const store::SessionOwner owner{.user = call.caller.user, .is_administrator = call.caller.role == Role::administrator};
  call.connections.write([&](store::Transaction& transaction) {
    store::add_session_code(transaction, inputs::sha256_of_text(code), owner, call.now);
    return true;
  });
  text::JsonWriter json;
  json.object([&] {
    json.field("code", code);
    json.field("user", owner.user);
    json.field("seconds", store::kCodeLasts.count());
    json.field("page", fmt::format("{}#code={}", kPagePath, code));
  });
  auto response = answer(201, json.text());
  response.headers.add("Cache-Control", "no-store");
  return response;
}

/// Another site's page could sign its reader in as somebody else.
bool is_of_other_site(const http::Request& request) {
  const auto site = request.headers.find("Sec-Fetch-Site");
  return site && *site != "same-origin" && *site != "none";
}

Cookie kind_of(const Call& call) {
  const bool is_tls = !call.request.peer.process && !call.config.api_certificate.empty();
  return is_tls || call.request.headers.find("X-Forwarded-Proto") == std::optional<std::string_view>{"https"} ? Cookie::secure
                                                                                                              : Cookie::plain;
}

http::Response sign_in(const Call& call) {
  if (is_of_other_site(call.request)) return error(Code::not_yours, "a session begins from the grid's own page alone");
  const auto code = secret_of_body(call, "code", kLongestCode);
  if (!code) return code.error();
  const auto token = new_secret();
  const auto owner = call.connections.write([&](store::Transaction& transaction) {
    return store::begin_session(transaction, inputs::sha256_of_text(*code), inputs::sha256_of_text(token), call.now);
  });
  if (!owner)
    return error(
        Code::unknown_caller,
        fmt::format("this link was used already, or it is older than {} s: run 'gridstat --web' for a new one", store::kCodeLasts.count()));
  process::log::info("signed in to the page", {{"user", owner->user}, {"from", call.request.peer.address}});
  text::JsonWriter json;
  json.object([&] {
    json.field("user", owner->user);
    json.field("administrator", owner->is_administrator);
    json.field("seconds", store::kSessionLasts.count());
  });
  auto response = answer(201, json.text());
  response.headers.add("Set-Cookie", cookie_of(token, kind_of(call)));
  response.headers.add("Cache-Control", "no-store");
  return response;
}

/// A browser ends its own session, and another caller all of theirs.
http::Response sign_out(const Call& call) {
  if (is_of_other_site(call.request)) return error(Code::not_yours, "a session ends from the grid's own page alone");
  const auto ended = call.connections.write([&](store::Transaction& transaction) {
    const auto& session = call.caller.session;
    return session.empty() ? store::end_sessions_of(transaction, call.caller.user) : store::end_session(transaction, session);
  });
  auto response = accepted(fmt::format("{} session{} ended", ended, ended == 1 ? "" : "s"), ended);
  response.headers.add("Set-Cookie", removed_cookie());
  return response;
}

}  // namespace

std::span<const Route> session_routes() {
  static constexpr std::array kRoutes{
      Route{"POST", "/v1/session-codes", Access::identified, give_code},
      Route{"POST", kSessionPath, Access::anybody, sign_in},
      Route{"DELETE", kSessionPath, Access::identified, sign_out},
  };
  return kRoutes;
}

}  // namespace gleaner::api
