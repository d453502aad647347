#include "api/audit.hpp"

#include <fmt/format.h>

namespace gleaner::api {
namespace {

/// `web`, a session of a browser, or with the web server that named the user; else `unix`, or the address without its port, and the proxy
/// that named the user.
std::string origin_of(const Call& call) {
  if (!call.caller.web_server.empty()) return fmt::format("web, named by {}", call.caller.web_server);
  if (!call.caller.session.empty()) return "web";
  const auto& peer = call.request.peer;
  const auto place = peer.process ? std::string{"unix"} : peer.address.substr(0, peer.address.rfind(':'));
  return call.caller.proxy.empty() ? place : fmt::format("{}, named by {}", place, call.caller.proxy);
}

}  // namespace

void note(const Call& call, store::Transaction& transaction, const store::Act& act) {
  store::note_act(transaction, {.name = call.caller.user, .origin = origin_of(call)}, act, call.now);
}

void act_as_caller(const Call& call, store::Transaction& transaction, const std::string& act) {
  store::act_as(transaction, {.name = call.caller.user, .origin = origin_of(call)}, act);
}

std::string count_json(std::string_view of, std::int64_t count) {
  text::JsonWriter json;
  json.object([&] { json.field(of, count); });
  return json.text();
}

std::string text_json(std::string_view of, std::string_view text) {
  text::JsonWriter json;
  json.object([&] { json.field(of, text); });
  return json.text();
}

std::string side_json(const std::vector<rules::Change>& changes, Side side) {
  text::JsonWriter json;
  json.object([&] {
    for (const auto& change : changes) {
      const auto& value = side == Side::before ? change.before : change.after;
      if (value) json.key(change.path).raw(*value);
    }
  });
  return json.text();
}

}  // namespace gleaner::api
