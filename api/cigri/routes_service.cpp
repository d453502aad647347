// CiGri's entry, and the routes of what this grid does not have.
#include <array>

#include <fmt/format.h>

#include "api/cigri/ask.hpp"
#include "api/cigri/body.hpp"
#include "api/cigri/gate.hpp"
#include "api/task_intake.hpp"

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

/// CiGri has mail and jabber; webhooks are left out, as its clients know none.
http::Response list_notifications(const Call& call) {
  return translated(ask(call, {.method = "GET", .path = "/notifications"}), [&](text::JsonWriter& json, const rapidjson::Value& ours) {
    json.key("items").begin_array();
    for (const auto& item : member(ours, "items").GetArray()) {
      if (text_of(item, "channel") != "mail" || text_of(item, "user").empty()) continue;
      json.object([&] {
        copy(json, item, {"id"});
        copy_as(json, "grid_user", item, "user");
        copy_as(json, "type", item, "channel");
        copy_as(json, "identity", item, "address");
        copy(json, item, {"severity"});
      });
    }
    json.end_array();
    write_links(json, {{"self", link(call, "/notifications")}, {"parent", link(call, "/")}});
  });
}

/// Empty: it is mail.
std::optional<http::Response> other_type(const Call& call) {
  const auto& type = call.parts[0];
  if (type == "mail") return std::nullopt;
  if (type == "jabber")
    return acknowledgement(kNotImplemented, "Not implemented",
                           "This grid sends no jabber messages: subscribe to mail, or to a webhook (gridnotify)");
  return refusal(404, fmt::format("{} {} not found on this server", call.request.method, jdl::excerpt(call.request.path)));
}

http::Response subscribe(const Call& call) {
  if (auto other = other_type(call)) return std::move(*other);
  auto text = call.request.body->read_all(kLongestForm);
  if (!text) return translated_refusal(call.caller, broken_body(text.error()));
  rapidjson::Document asked;
  asked.Parse<rapidjson::kParseIterativeFlag>(text->data(), text->size());
  if (asked.HasParseError() || !asked.IsObject()) return refusal(400, "Error subscribing: a JSON object is needed");
  const auto severity = text_of(asked, "severity");
  text::JsonWriter body;
  body.object([&] {
    body.field("channel", "mail");
    body.field("address", text_of(asked, "identity"));
    body.field("severity", severity.empty() ? std::string_view{"low"} : severity);
    // CiGri's root is its administrator.
    if (call.caller.role == Role::administrator && call.caller.user == "root") body.field("audience", "administrators");
  });
  const auto made = ask(call, {.method = "POST", .path = "/notifications", .doing = "Error subscribing: ", .body = body.text()});
  return made ? acknowledgement(201, "Created", "New subscription created") : made.error();
}

/// CiGri answers so too when there was no such subscription.
http::Response unsubscribe(const Call& call) {
  if (auto other = other_type(call))
    return call.parts[0] == "jabber" ? acknowledgement(202, "Deleted", "Unsubscription ok") : std::move(*other);
  Question question{.method = "DELETE", .path = "/notifications", .doing = "Error unsubscribing: "};
  question.query.emplace_back("channel", "mail");
  question.query.emplace_back("address", call.request.parameter("identity").value_or(""));
  const auto removed = ask(call, question);
  return removed ? acknowledgement(202, "Deleted", "Unsubscription ok") : removed.error();
}

/// CiGri shows the token itself; here its user recognizes it by its fingerprint.
http::Response list_tokens(const Call& call) {
  return translated(ask(call, {.method = "GET", .path = "/tokens"}), [&](text::JsonWriter& json, const rapidjson::Value& ours) {
    json.key("items").begin_array();
    for (const auto& item : member(ours, "items").GetArray()) {
      json.object([&] {
        copy(json, item, {"cluster_id"});
        json.field("cluster_login", fmt::format("Bearer fingerprint:{}", text_of(item, "fingerprint")));
      });
    }
    json.end_array();
    write_links(json, {{"self", link(call, "/tokens")}, {"parent", link(call, "/")}});
  });
}

/// CiGri refuses so where a cluster takes no tokens.
http::Response as_cigri(http::Response refused) {
  const bool is_other = refused.body.find("wants no token of its users") != std::string::npos;
  return is_other ? refusal(403, "This cluster takes no tokens (JWT)") : std::move(refused);
}

http::Response add_token(const Call& call) {
  auto text = call.request.body->read_all(kLongestForm);
  if (!text) return translated_refusal(call.caller, broken_body(text.error()));
  rapidjson::Document asked;
  asked.Parse<rapidjson::kParseIterativeFlag>(text->data(), text->size());
  if (asked.HasParseError() || !asked.IsObject()) return refusal(400, "Error registering a token: a JSON object is needed");
  const auto number = number_of(asked, "cluster_id");
  const auto id = number ? number : id_of(std::string{text_of(asked, "cluster_id")});  // a form has texts
  if (!id) return refusal(400, "Error registering a token: the number 'cluster_id' is needed");
  text::JsonWriter body;
  body.object([&] { body.field("token", text_of(asked, "token")); });
  const auto made =
      ask(call, {.method = "POST", .path = fmt::format("/tokens/{}", *id), .doing = "Error registering a token: ", .body = body.text()});
  return made ? acknowledgement(201, "Created", "New token registered") : as_cigri(made.error());
}

/// CiGri answers so too when there was no token.
http::Response remove_token(const Call& call) {
  constexpr unsigned kMissing = 404;
  const auto removed = ask(call, {.method = "DELETE", .path = "/tokens/" + part(call, 0), .doing = "Error removing a token: "});
  const bool is_gone = removed || (removed.error().status == kMissing && removed.error().body.find("no token") != std::string::npos);
  return is_gone ? acknowledgement(202, "Deleted", "Token removed") : as_cigri(removed.error());
}

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
      Route{"POST", "/tokens", Access::identified, add_token},
      Route{"DELETE", "/tokens/:cluster", Access::identified, remove_token},
      Route{"DELETE", "/clusters/:id/:path", Access::identified, refuse_file},
  };
  return kRoutes;
}

}  // namespace gleaner::api::cigri
