// CiGri's entry, and the routes of what this grid does not have.
#include <array>

#include <fmt/format.h>

#include "api/cigri/ask.hpp"
#include "api/cigri/gate.hpp"

namespace gleaner::api::cigri {
namespace {

constexpr unsigned kNotImplemented = 501;

http::Response show_root(const Call& call) {
  text::JsonWriter json;
  json.object([&] {
    write_links(json, {{"self", link(call, "/")},
                       {"collection", link(call, "/campaigns"), "campaigns"},
                       {"collection", link(call, "/clusters"), "clusters"}});
  });
  return answer(json);
}

http::Response nothing(const Call& call, std::string_view path) {
  text::JsonWriter json;
  json.object([&] {
    json.key("items").begin_array().end_array();
    write_links(json, {{"self", link(call, path)}, {"parent", link(call, "/")}});
  });
  return answer(json);
}

http::Response list_notifications(const Call& call) { return nothing(call, "/notifications"); }

http::Response is_type(const Call& call, http::Response (*respond)()) {
  const auto& type = call.parts[0];
  if (type == "mail" || type == "jabber") return respond();
  return refusal(404, fmt::format("{} {} not found on this server", call.request.method, jdl::excerpt(call.request.path)));
}

http::Response subscribe(const Call& call) {
  return is_type(call, [] {
    return acknowledgement(kNotImplemented, "Not implemented",
                           "This grid sends no notifications: gridwait, and GET /v1/events, can be asked by a script");
  });
}

/// CiGri answers so too when there was no such subscription.
http::Response unsubscribe(const Call& call) {
  return is_type(call, [] { return acknowledgement(202, "Deleted", "Unsubscription ok"); });
}

http::Response list_tokens(const Call& call) { return nothing(call, "/tokens"); }

http::Response refuse_token(const Call&) { return refusal(403, "No cluster of this grid takes tokens (JWT)"); }

http::Response refuse_file(const Call&) {
  return acknowledgement(kNotImplemented, "Not implemented",
                         "Files on clusters are not deleted through the grid: log in on the cluster, or use 'output_directory'");
}

}  // namespace

std::span<const Route> service_routes() {
  static constexpr std::array kRoutes{
      Route{"GET", "/", Access::anybody, show_root},
      Route{"GET", "/notifications", Access::identified, list_notifications},
      Route{"POST", "/notifications/:type", Access::identified, subscribe},
      Route{"DELETE", "/notifications/:type", Access::identified, unsubscribe, "identity"},
      Route{"GET", "/tokens", Access::identified, list_tokens},
      Route{"POST", "/tokens", Access::identified, refuse_token},
      Route{"DELETE", "/tokens/:cluster", Access::identified, refuse_token},
      Route{"DELETE", "/clusters/:id/:path", Access::identified, refuse_file},
  };
  return kRoutes;
}

}  // namespace gleaner::api::cigri
