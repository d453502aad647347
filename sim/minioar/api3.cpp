// The REST API of OAR 3, over the same engine: FastAPI's routes and JSON, bearer tokens, and its faults.
//
// - Tokens are JWTs by HS256. Without a key, any signature is taken. POST /_tokens {"refuse":"ada"} revokes those of a user.
// - There is one database session. A submission whose property is no condition, a state or an id that the database cannot have break it:
// each
//   request that needs it is answered 500 from then on, until POST /_session {"broken":false}, which is the restart of the real one.
//   POST /_session {"broken":true} breaks it.
// - Of requests that meet, all but one are answered 500, after they were carried out.
#include <rapidjson/document.h>

#include <sys/stat.h>
#include <algorithm>
#include <array>
#include <filesystem>
#include <limits>
#include <set>

#include <fmt/format.h>

#include "lib/grid/clock.hpp"
#include "lib/oar/bearer.hpp"
#include "lib/oar/token.hpp"
#include "lib/text/numbers.hpp"
#include "sim/minioar/api.hpp"
#include "sim/minioar/oarsub.hpp"
#include "sim/minioar/pages.hpp"

namespace gleaner::minioar {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kLongestBody = std::size_t{1} << 30U;
constexpr std::int64_t kLastId = std::numeric_limits<std::int32_t>::max();
constexpr std::string_view kBearer{"Bearer "};

http::Response json3(unsigned status, std::string body) {
  http::Response response;
  response.status = status;
  response.headers.add("Content-Type", "application/json");
  response.body = std::move(body);
  return response;
}

http::Response refusal3(unsigned status, std::string_view detail) {
  text::JsonWriter json;
  json.begin_object().field("detail", detail).end_object();
  return json3(status, json.text());
}

http::Response broken() {
  http::Response response;
  response.status = 500;
  response.headers.add("Content-Type", "text/plain; charset=utf-8");
  response.body = "Internal Server Error";
  return response;
}

/// All values of a parameter, which lists repeat.
std::vector<std::string> values_of(const Call& call, std::string_view name) {
  std::vector<std::string> values;
  for (const auto& [key, value] : call.http.query) {
    if (key == name) values.push_back(value);
  }
  return values;
}

/// The jobs that a request names.
struct JobQuery {
  std::optional<std::string> user;
  std::set<std::string> states;
  std::set<JobNumber> ids;
  std::optional<JobNumber> array;
  std::optional<std::int64_t> from;

  [[nodiscard]] bool takes(const Job& job) const {
    if (user && job.submission->user != *user) return false;
    if (!ids.empty() && !ids.contains(job.id)) return false;
    if (array && job.array_id != *array) return false;
    if (!states.empty()) return states.contains(std::string{name_of(job.state)});
    if (!ids.empty() || array) return true;
    if (over(job.state)) return from && job.stop_time >= *from;
    return true;
  }
};

/// Empty: it names what the database does not have.
std::optional<JobQuery> read_query(const Call& call) {
  static const std::set<std::string> kStates{"Waiting", "Hold",      "toLaunch",   "toError", "toAckReservation", "Launching", "Finishing",
                                             "Running", "Suspended", "Terminated", "Error",   "Resuming"};
  JobQuery query{.user = call.parameter("user"), .states = {}, .ids = {}, .array = {}, .from = call.number("start_time")};
  for (const auto& state : values_of(call, "states")) {
    if (!kStates.contains(state)) return std::nullopt;
    query.states.insert(state);
  }
  const auto number = [](const std::string& text) {
    return text::whole_number<std::int64_t>(std::string_view{text}).value_or(kLastId + 1);
  };
  for (const auto& id : values_of(call, "job_ids")) query.ids.insert(number(id));
  if (const auto array = call.parameter("array")) query.array = number(*array);
  const bool too_great = (!query.ids.empty() && *query.ids.rbegin() > kLastId) || query.array.value_or(0) > kLastId;
  return too_great ? std::nullopt : std::optional{query};
}

int decoded(int wait_status) { return (wait_status & 0x7F) != 0 ? wait_status & 0x7F : wait_status >> 8; }

void write_short3(text::JsonWriter& json, const Job& job) {
  const auto& submission = *job.submission;
  json.begin_object().field("id", job.id);
  if (submission.name) json.field("name", *submission.name);
  json.field("user", submission.user).field("state", name_of(job.state));
  if (job.exit_code) json.field("exit_code", *job.exit_code);
  json.field("queue_name", submission.queue).field("submission_time", submission.submission_time);
  if (job.exit_code) json.field("exit_status_code", decoded(static_cast<int>(*job.exit_code)));
  json.end_object();
}

void write_long3(text::JsonWriter& json, const Ledger& ledger, const Job& job) {
  const auto& submission = *job.submission;
  json.begin_object().field("id", job.id);
  if (submission.name) json.field("name", *submission.name);
  json.field("type", "PASSIVE").field("user", submission.user).field("group", "").field("array_id", job.array_id);
  json.field("array_index", job.array_index).field("initial_request", job.command).field("state", name_of(job.state));
  json.field("reservation", "None").field("message", job.message).field("project", submission.project).field("command", job.command);
  if (job.exit_code) {
    json.field("exit_code", *job.exit_code).field("exit_status_code", decoded(static_cast<int>(*job.exit_code)));
  }
  json.field("queue_name", submission.queue).field("properties", submission.properties).field("launching_directory", submission.directory);
  json.field("submission_time", submission.submission_time).field("start_time", job.start_time).field("stop_time", job.stop_time);
  json.field("stdout_file", job.file_name(submission.stdout_file)).field("stderr_file", job.file_name(submission.stderr_file));
  json.field("resubmit_job_id", job.resubmitted);
  if (!submission.types.empty()) {
    json.key("types").begin_object();
    for (const auto& type : submission.types) {
      const auto equals = type.find('=');
      if (equals == std::string::npos) json.field(type, true);
      else json.field(type.substr(0, equals), type.substr(equals + 1));
    }
    json.end_object();
  }
  json.key("resources").begin_array();
  std::set<std::string> nodes;
  for (const int place : job.resources) {
    const auto& resource = ledger.resources()[static_cast<std::size_t>(place)];
    json.begin_object().field("id", resource.id).end_object();
    nodes.insert(resource.host);
  }
  json.end_array().key("nodes").begin_array();
  for (const auto& node : nodes) json.begin_object().field("network_address", node).end_object();
  json.end_array().key("events").begin_array();
  for (const auto& event : job.events) {
    json.begin_object().field("id", event.id).field("type", event.type).field("job_id", job.id).field("date", event.date);
    json.field("description", event.description).field("to_check", event.to_check ? "YES" : "NO").end_object();
  }
  json.end_array();
  if (const auto walltime = job.walltime()) json.field("walltime", *walltime);
  json.end_object();
}

/// `/jobs/3/x`: 3.
std::optional<JobNumber> id_in(std::string_view path, std::string_view begin, std::string_view end = {}) {
  if (!path.starts_with(begin) || !path.ends_with(end) || path.size() < begin.size() + end.size()) return std::nullopt;
  const auto number = text::whole_number<JobNumber>(path.substr(begin.size(), path.size() - begin.size() - end.size()));
  return number ? std::optional{*number} : std::nullopt;
}

/// The posted JSON as the options of oarsub. Error: the answer.
tl::expected<PostedOptions, http::Response> read_posted3(const std::string& body) {
  rapidjson::Document document;
  document.Parse(body.data(), body.size());
  if (document.HasParseError() || !document.IsObject() || !document.HasMember("command") || !document["command"].IsString())
    return tl::unexpected{json3(422, R"({"detail":[{"loc":["body","command"],"msg":"field required","type":"value_error.missing"}]})")};
  PostedOptions posted;
  for (const auto* const name : {"resource", "type"}) {
    if (!document.HasMember(name)) continue;
    const auto& list = document[name];
    if (!list.IsArray())
      return tl::unexpected{json3(
          422, fmt::format(R"({{"detail":[{{"loc":["body","{}"],"msg":"value is not a valid list","type":"type_error.list"}}]}})", name))};
    for (const auto& item : list.GetArray()) {
      if (item.IsString()) posted.options.emplace_back(name, item.GetString());
    }
  }
  for (const auto* const name : {"property", "project", "name", "queue", "stdout", "stderr", "notify"}) {
    if (document.HasMember(name) && document[name].IsString()) posted.options.emplace_back(name, document[name].GetString());
  }
  for (const auto* const name : {"checkpoint", "signal", "array"}) {
    if (document.HasMember(name) && document[name].IsInt64()) posted.options.emplace_back(name, std::to_string(document[name].GetInt64()));
  }
  if (document.HasMember("hold") && document["hold"].IsTrue()) posted.options.emplace_back("hold", "");
  if (document.HasMember("param_file") && document["param_file"].IsString()) posted.param_file = document["param_file"].GetString();
  // No shell reads it at submission; the engine's oarsub has one.
  std::string command;
  for (const char letter : std::string_view{document["command"].GetString(), document["command"].GetStringLength()}) {
    if (letter == '$' || letter == '`' || letter == '\\') command += '\\';
    command += letter;
  }
  posted.command = std::move(command);
  return posted;
}

bool holds(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

}  // namespace

/// The user of the token; empty: there is none that is valid.
std::string Api::user_of_token(const http::Request& request) {
  const auto header = request.headers.find("Authorization");
  if (!header || !header->starts_with(kBearer)) return {};
  const auto token = oar::read_token(header->substr(kBearer.size()));
  const auto now = std::chrono::system_clock::now();
  if (!token || (token->ends_at && *token->ends_at <= now)) return {};
  const auto dot = token->text.rfind('.');
  const std::string_view text{token->text};
  if (!options_.token_key.empty() && oar::token_signature(text.substr(0, dot), options_.token_key) != text.substr(dot + 1)) return {};
  const std::lock_guard lock{tokens_mutex_};
  return revoked_.contains(token->user) ? std::string{} : token->user;
}

/// Needs no database.
std::optional<http::Response> Api::about_token(const Call& call, bool has_token) const {
  if (call.path != "/check_token" && call.path != "/get_new_token") return std::nullopt;
  if (!has_token) return refusal3(403, "Not authenticated");
  if (call.user.empty()) return refusal3(401, "Could not validate credentials !!! ");
  if (call.path == "/check_token")
    return json3(200, fmt::format(R"({{"user":"{}","auth":"Token valid","api_timezone":"UTC"}})", call.user));
  const auto life = std::chrono::duration_cast<grid::Seconds>(options_.token_life);
  return json3(200, fmt::format(R"({{"OAR_API_TOKEN":"{}","api_timezone":"UTC"}})",
                                oar::signed_token(call.user, options_.token_key, grid::now(), life)));
}

http::Response Api::answer3(const http::Request& request, const std::string& path_info) {
  Call call{request, options_.prefix, path_info, path_info, user_of_token(request), engine_.date()};
  while (call.path.size() > 1 && call.path.ends_with('/')) call.path.pop_back();
  const bool has_token = request.headers.find("Authorization").has_value();
  if (call.path == "/version")
    return json3(200, R"({"oar_server_version":"3.0.3dev","oar_version":"3.0.3dev","oar_lib_version":"3.0.3dev",)"
                      R"("api_version":"3.0.0.dev11","apilib_version":"3.0.0.dev11","api_timezone":"UTC"})");
  if (call.path == "/stress_factor") {
    const std::lock_guard lock{stress_mutex_};
    return json3(200, fmt::format(R"({{"GLOBAL_STRESS":"{}"}})", stress_));
  }
  if (call.path == "/whoami")
    return has_token ? json3(200, fmt::format(R"({{"authenticated_user":"{}"}})", call.user)) : refusal3(403, "Not authenticated");
  if (auto answer = about_token(call, has_token)) return std::move(*answer);
  const bool is_list = request.method == "GET" && (call.path == "/jobs" || call.path == "/resources");
  if (!is_list && !has_token) return refusal3(403, "Not authenticated");
  if (!is_list && call.user.empty()) return refusal3(401, "Could not validate credentials !!! ");
  // While the session is broken, a deletion finds no job, and says so.
  if (session_broken_ && request.method == "DELETE") {
    if (const auto id = id_in(call.path, "/jobs/"))
      return json3(200,
                   fmt::format(R"({{"id":{0},"cmd_output":"#WARNING: Cannot frag {0} ; Job does not exist. -3","exit_status":7}})", *id));
  }
  if (session_broken_) return broken();
  const bool meets_another = in_flight_.fetch_add(1) > 0;
  auto response = route3(call);
  --in_flight_;
  return meets_another ? broken() : response;
}

http::Response Api::route3(const Call& call) {
  const auto& method = call.http.method;
  if (method == "GET" && call.path == "/jobs") return list_jobs3(call);
  if (method == "GET" && call.path == "/resources") return list_resources3(call);
  if (method == "POST" && call.path == "/jobs") return post_job3(call);
  if (call.path == "/media" || call.path == "/media/chmod") return media3(call);
  if (method == "DELETE") {
    if (const auto id = id_in(call.path, "/jobs/")) return delete_jobs3(call, *id);
  }
  if (method == "POST") {
    if (const auto id = id_in(call.path, "/jobs/", "/checkpoints/new")) return act3(*id, engine_.checkpoint(call.user, *id), 5);
    if (const auto id = id_in(call.path, "/jobs/", "/resumptions/new")) return act3(*id, engine_.resume(call.user, *id), 1);
    if (const auto id = id_in(call.path, "/jobs/", "/hold/new")) return act3(*id, engine_.hold(call.user, *id), 1);
  }
  return refusal3(404, "Not Found");
}

http::Response Api::act3(JobNumber id, const Done& done, int wrong_state) {
  const int status = done ? 0 : done.error() == Refusal::wrong_user || done.error() == Refusal::unknown_job ? 1 : wrong_state;
  return json3(200, fmt::format(R"({{"id":{},"cmd_output":"{}","exit_status":{}}})", id, done ? "DONE" : "ERROR", status));
}

http::Response Api::list_jobs3(const Call& call) {
  const auto query = read_query(call);
  if (!query) {
    session_broken_ = true;
    return broken();
  }
  const auto limit = call.number("limit").value_or(kPageLimit), offset = call.number("offset").value_or(0);
  return engine_.read([&](Ledger& ledger) {
    std::vector<const Job*> found;
    for (const auto& job : ledger.jobs()) {
      if (query->takes(job)) found.push_back(&job);
    }
    const auto total = static_cast<std::int64_t>(found.size());
    if (offset >= total && offset > 0) return refusal3(404, "Empty request");
    std::sort(found.begin(), found.end(), [](const Job* a, const Job* b) { return a->id < b->id; });
    text::JsonWriter json;
    json.begin_object().field("total", total).field("offset", offset).key("items").begin_array();
    for (auto i = offset; i < std::min(total, offset + limit); ++i) {
      const auto& job = *found[static_cast<std::size_t>(i)];
      if (call.parameter("details")) write_long3(json, ledger, job);
      else write_short3(json, job);
    }
    json.end_array().end_object();
    return json3(200, json.text());
  });
}

http::Response Api::list_resources3(const Call& call) {
  constexpr std::int64_t kPage = 25;
  const bool detailed = call.parameter("detailed") == "true";
  const auto limit = call.number("limit").value_or(kPage), offset = call.number("offset").value_or(0);
  return engine_.read([&](Ledger& ledger) {
    const auto total = static_cast<std::int64_t>(ledger.resources().size());
    if (offset >= total && offset > 0) return refusal3(404, "Empty request");
    text::JsonWriter json;
    json.begin_object().field("total", total).field("offset", offset).key("items").begin_array();
    for (auto i = offset; i < std::min(total, offset + limit); ++i) {
      const auto& resource = ledger.resources()[static_cast<std::size_t>(i)];
      json.begin_object().field("id", resource.id).field("network_address", resource.host).field("state", name_of(resource.state));
      json.field("available_upto", kLastId);
      for (const auto* const name : {"type", "besteffort", "drain", "host", "cluster", "cpu", "core", "cpuset", "mem"}) {
        if (!detailed) break;
        const auto value = property(resource, name).value();
        json.key(name);
        if (const auto* number = std::get_if<std::int64_t>(&value)) json.value(*number);
        else json.value(as_text(value));
      }
      if (detailed && resource.gpu > 0) json.field("gpu", resource.gpu);
      json.end_object();
    }
    json.end_array().end_object();
    return json3(200, json.text());
  });
}

http::Response Api::post_job3(const Call& call) {
  const auto body = call.http.body->read_all(kLongestBody);
  if (!body) return refusal3(400, http::describe(body.error()));
  const auto posted = read_posted3(*body);
  if (!posted) return posted.error();
  if (call.user == "oar" || call.user == "root")
    return refusal3(
        403, "A failed admission rule prevented submitting the job: [ADMISSION RULE] root and oar users are not allowed to submit jobs.");
  std::error_code ignored;
  fs::create_directories(engine_.home_of(call.user), ignored);
  const auto done = oarsub(engine_, call.user, *posted);
  if (done) return json3(200, fmt::format(R"({{"id":{}}})", done->ids.front()));
  const auto& message = done.error().message;
  // OAR's server is dead: the jobs are there all the same, and the answer is as ever.
  constexpr std::string_view kMark{"OAR_JOB_ID="};
  if (const auto mark = message.find(kMark); mark != std::string::npos) {
    auto rest = std::string_view{message}.substr(mark + kMark.size());
    return json3(200, fmt::format(R"({{"id":{}}})", text::take_whole_number<JobNumber>(rest).value_or(0)));
  }
  if (holds(message, "ADMISSION RULE")) return refusal3(403, "A failed admission rule prevented submitting the job: " + message);
  if (holds(message, "Bad resource request")) {
    const bool names_hierarchy = holds(message, "is not a valid resources name") || !holds(*body, "\"property\"");
    session_broken_ = session_broken_ || !names_hierarchy;
    return refusal3(400, message);
  }
  if (holds(message, "not enough resources") || holds(message, "does not exist") || holds(message, "bad character"))
    return refusal3(400, message);
  return broken();
}

http::Response Api::delete_jobs3(const Call& call, JobNumber id) {
  std::vector<JobNumber> ids{id};
  if (call.parameter("array") == "true")
    engine_.read([&](Ledger& ledger) {
      const auto all = ledger.array(id);
      ids.assign(all.begin(), all.end());
    });
  int status = 0;
  std::string output;
  for (const auto one : ids) {
    int own = 0;
    // The user oar may delete everybody's jobs.
    const auto user = call.user == "oar" ? engine_.read([&](Ledger& ledger) {
      const auto* const job = ledger.find(one);
      return job == nullptr ? call.user : job->submission->user;
    })
                                         : call.user;
    if (const auto done = engine_.kill(user, one); !done)
      own = done.error() == Refusal::unknown_job ? 7 : done.error() == Refusal::already_killed ? 6 : 1;
    output += fmt::format("Deleting the job = {} ...{}", one, own == 0 ? "" : fmt::format(" Cannot frag {}", one));
    status = ids.size() == 1 || own == status || one == ids.front() ? own : 15;
  }
  if (status == 0 && !engine_.server_lives()) status = 2;
  return json3(200, fmt::format(R"({{"id":{},"cmd_output":"{}","exit_status":{}}})", id, output, status));
}

http::Response Api::media3(const Call& call) {
  const auto named = call.parameter("path_filename");
  if (!named) return json3(422, R"({"detail":[{"loc":["query","path_filename"],"msg":"field required","type":"value_error.missing"}]})");
  const auto file = "/" + *named;
  const auto& method = call.http.method;
  std::error_code error;
  if (call.path == "/media/chmod") {
    if (method != "POST") return refusal3(405, "Method Not Allowed");
    if (!fs::exists(file, error)) return refusal3(404, "File not found: " + file);
    const auto mode = call.parameter("mode").value_or("");
    const bool octal = !mode.empty() && mode.find_first_not_of("01234567") == std::string::npos;
    if (!octal) return refusal3(400, "Bad mode value: " + mode);
    if (!may(call.user, file, 2) || ::chmod(file.c_str(), static_cast<mode_t>(std::stoul(mode, nullptr, 8))) != 0)
      return refusal3(500, fmt::format("Could not set mode {} on file {}", mode, file));
    return json3(202, "");
  }
  if (method == "GET") {
    auto response = media_read(call, file);
    return response.status == 200
               ? std::move(response)
               : refusal3(response.status, (response.status == 404 ? "File not found: " : "File could not be read: ") + file);
  }
  if (method == "DELETE") {
    auto response = media_delete(file, call);
    return response.status == 204
               ? std::move(response)
               : refusal3(response.status, (response.status == 404 ? "File not found: " : "File or directory is not writeable: ") + file);
  }
  return broken();  // whatever is sent
}

}  // namespace gleaner::minioar
