#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <rapidjson/document.h>

#include "sim/minioar/api.hpp"
#include "sim/minioar/pages.hpp"

/// Routes by which tests control the cluster: POSTs of a JSON object, from this machine only.
///
/// - /_faults, see faults.hpp: answers that are late, damaged or lost; DELETE clears them
/// - /_latency {"ms"}: milliseconds before each answer from now on
/// - /_server {"alive":false,"ends":"late","report_again_ms":30000} or {"alive":true}: OAR's server dies, or starts; see crash.hpp
/// - /_launches {"become":"launching","count":1}: the next launches go wrong; see crash.hpp; none with a count of 0
/// - /_exit_codes {"lost":1}: the next jobs that end by themselves are Terminated without an exit code
/// - /_forget {"last":0,"processes":"killed"} or {"newest":5}: the jobs above this id, or the newest ones, are forgotten, and new jobs get
///   their ids; `processes` is killed or left
/// - /_start_after {"name":"","match":"GET /jobs","count":1}: jobs whose names begin with `name` start after so many such requests are
///   answered
/// - /_rename {"name":"x"}: an admission rule gives this name to the jobs submitted from now on; none with an empty name
/// - /_preempt {"job":7} or {"count":3}: best-effort jobs are preempted
/// - /_node {"name","state"}: the state is Alive, Absent, Suspected or Dead
/// - /_stress {"value":"0.5"}: the answer of GET /stress_factor
/// - /_tokens {"refuse":"ada"} or {"take":"ada"}: as OAR 3, all tokens of that user are revoked, or are taken again
/// - /_session {"broken":true}: as OAR 3, its API's database session is broken, until {"broken":false}, its restart
namespace gleaner::minioar {

/// The JSON object of an administrator; a missing or wrong field is the default.
class AdminBody {
 public:
  explicit AdminBody(const std::string& text) { json_.Parse<rapidjson::kParseIterativeFlag>(text.data(), text.size()); }
  [[nodiscard]] bool is_object() const { return !json_.HasParseError() && json_.IsObject(); }
  [[nodiscard]] std::optional<std::string> text(const char* name) const {
    return json_.HasMember(name) && json_[name].IsString() ? std::optional<std::string>{json_[name].GetString()} : std::nullopt;
  }
  [[nodiscard]] std::optional<std::int64_t> number(const char* name) const {
    return json_.HasMember(name) && json_[name].IsInt64() ? std::optional{json_[name].GetInt64()} : std::nullopt;
  }
  [[nodiscard]] std::optional<bool> flag(const char* name) const {
    return json_.HasMember(name) && json_[name].IsBool() ? std::optional{json_[name].GetBool()} : std::nullopt;
  }
  [[nodiscard]] int count(const char* name, int otherwise) const { return static_cast<int>(number(name).value_or(otherwise)); }

 private:
  rapidjson::Document json_;
};

namespace {

constexpr std::size_t kAdminBodyLimit = 64 * 1024;

http::Response done(const std::string& json = "{\"status\":\"done\"}") { return json_answer(200, json); }
http::Response wrong(const std::string& why) { return error_answer({400, "Bad query", why}); }

bool from_loopback(const http::Peer& peer) { return peer.process || peer.address.starts_with("127.") || peer.address.starts_with("::1"); }

std::string preempt(Engine& engine, const AdminBody& body) {
  text::JsonWriter text;
  text.begin_object().key("killed").begin_array();
  for (const auto id : engine.preempt(body.number("job"), body.count("count", 0))) text.value(id);
  return text.end_array().end_object().text();
}

std::optional<std::string> change_server(Engine& engine, const AdminBody& body) {
  if (body.flag("alive").value_or(false)) {
    engine.server_starts();
    return std::nullopt;
  }
  const auto ends = ends_meanwhile(body.text("ends").value_or("late"));
  if (!ends) return "ends is late, lost or finishing";
  ServerState state{.alive = false, .ends = *ends, .report_again = {}};
  state.report_again = std::chrono::milliseconds{body.number("report_again_ms").value_or(ServerState{}.report_again.count())};
  engine.server_dies(state);
  return std::nullopt;
}

std::optional<std::string> change_node(Engine& engine, const AdminBody& body) {
  const auto state = resource_state(body.text("state").value_or(""));
  if (!state) return "state is Alive, Absent, Suspected or Dead";
  if (!engine.set_node_state(body.text("name").value_or(""), *state)) return "no such node";
  return std::nullopt;
}

std::optional<std::string> spoil_launches(Engine& engine, const AdminBody& body) {
  const auto fate = launch_fate(body.text("become").value_or(""));
  if (!fate) return fmt::format("become is one of {}", fmt::join(kLaunchFateNames, ", "));
  engine.spoil_launches(*fate, body.count("count", 1));
  return std::nullopt;
}

std::optional<std::string> forget(Engine& engine, const AdminBody& body) {
  const auto processes = body.text("processes").value_or("killed");
  if (processes != "killed" && processes != "left") return "processes is killed or left";
  const auto known = engine.read([](Ledger& ledger) { return static_cast<JobNumber>(ledger.jobs().size()); });
  const auto last = body.number("newest") ? known - *body.number("newest") : body.number("last").value_or(0);
  engine.forget_after(std::max<JobNumber>(last, 0), processes == "left" ? Processes::left : Processes::killed);
  return std::nullopt;
}

}  // namespace

/// Applies the request. Empty: it is done; else what is wrong with it.
std::optional<std::string> Api::administer(const std::string& path, const AdminBody& body) {
  if (path == "/_server") return change_server(engine_, body);
  if (path == "/_node") return change_node(engine_, body);
  if (path == "/_launches") return spoil_launches(engine_, body);
  if (path == "/_forget") return forget(engine_, body);
  if (path == "/_exit_codes") {
    engine_.lose_exit_codes(body.count("lost", 1));
  } else if (path == "/_tokens") {
    const std::lock_guard lock{tokens_mutex_};
    if (const auto user = body.text("refuse")) revoked_.insert(*user);
    if (const auto user = body.text("take")) revoked_.erase(*user);
  } else if (path == "/_rename") {
    engine_.rename_jobs(body.text("name").value_or(""));
  } else if (path == "/_latency") {
    faults_.set_latency(std::chrono::milliseconds{body.number("ms").value_or(0)});
  } else if (path == "/_start_after") {
    HeldStart held{body.text("name").value_or(""), body.text("match").value_or(""), body.number("count").value_or(1)};
    engine_.hold_starts(held.name);
    faults_.hold(std::move(held));
  } else if (path == "/_stress" && body.text("value")) {
    const std::lock_guard lock{stress_mutex_};
    stress_ = *body.text("value");
  } else if (path == "/_session" && body.flag("broken")) {
    session_broken_ = *body.flag("broken");
  } else {
    return "unknown path or missing field";
  }
  return std::nullopt;
}

http::Response Api::admin(const http::Request& request, const std::string& path) {
  if (options_.admin != Admin::allowed || !from_loopback(request.peer)) {
    return error_answer({403, "Forbidden", "faults are allowed with --allow-faults, and from this machine only"});
  }
  if (request.method == "DELETE" && path == "/_faults") {
    faults_.clear();
    return done();
  }
  const auto text = request.body->read_all(kAdminBodyLimit);
  if (!text) return wrong(std::string{http::describe(text.error())});
  if (request.method == "POST" && path == "/_faults") {
    const auto added = faults_.add(*text);
    return added ? done() : wrong(added.error());
  }
  const AdminBody body{*text};
  if (request.method != "POST" || !body.is_object()) return wrong("POST a JSON object");
  if (path == "/_preempt") return done(preempt(engine_, body));
  const auto problem = administer(path, body);
  return problem ? wrong(*problem) : done();
}

}  // namespace gleaner::minioar
