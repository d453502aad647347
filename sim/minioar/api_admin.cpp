#include <fmt/format.h>
#include <rapidjson/document.h>

#include "sim/minioar/api.hpp"
#include "sim/minioar/pages.hpp"

namespace gleaner::minioar {

namespace {

constexpr std::size_t kBodyLimit = 64 * 1024;

http::Response done(const std::string& json = "{\"status\":\"done\"}") { return json_answer(200, json); }
http::Response wrong(const std::string& why) { return error_answer({400, "Bad query", why}); }

bool from_loopback(const http::Peer& peer) { return peer.process || peer.address.starts_with("127.") || peer.address.starts_with("::1"); }

}  // namespace

http::Response Api::admin(const http::Request& request, const std::string& path) {
  if (options_.admin != Admin::allowed || !from_loopback(request.peer)) {
    return error_answer({403, "Forbidden", "faults are allowed with --allow-faults, and from this machine only"});
  }
  if (request.method == "DELETE" && path == "/_faults") {
    faults_.clear();
    return done();
  }
  const auto body = request.body->read_all(kBodyLimit);
  if (!body) return wrong(std::string{http::describe(body.error())});
  if (request.method == "POST" && path == "/_faults") {
    const auto added = faults_.add(*body);
    return added ? done() : wrong(added.error());
  }
  rapidjson::Document json;
  json.Parse(body->data(), body->size());
  if (request.method != "POST" || json.HasParseError() || !json.IsObject()) return wrong("POST a JSON object to /_faults, /_preempt, /_node or /_stress");
  if (path == "/_preempt") {
    const bool one = json.HasMember("job") && json["job"].IsInt64();
    const int count = json.HasMember("count") && json["count"].IsInt() ? json["count"].GetInt() : 0;
    const auto killed = engine_.preempt(one ? std::optional{json["job"].GetInt64()} : std::nullopt, count);
    JsonText text;
    text.begin_object().key("killed").begin_array();
    for (const auto id : killed) text.value(id);
    text.end_array().end_object();
    return done(text.text());
  }
  if (path == "/_node" && json.HasMember("name") && json["name"].IsString() && json.HasMember("state") && json["state"].IsString()) {
    const auto state = resource_state(json["state"].GetString());
    if (!state) return wrong("state is Alive, Absent, Suspected or Dead");
    return engine_.set_node_state(json["name"].GetString(), *state) ? done() : wrong("no such node");
  }
  if (path == "/_stress" && json.HasMember("value") && json["value"].IsString()) {
    const std::lock_guard lock{stress_mutex_};
    stress_ = json["value"].GetString();
    return done();
  }
  return wrong("unknown path or missing field");
}

}  // namespace gleaner::minioar
