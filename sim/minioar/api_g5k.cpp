// Grid'5000's API of one site, over the same engine: a stand-in, written after the API's public reference and source
// (https://api.grid5000.fr/doc/stable, github.com/grid5000/g5k-api). It was never compared with the real one.
//
// - Basic authentication: the login is the user, and the password that of --password-file, if there is one.
// - The command of a submission reaches OAR's API as a script, so that the job's command is the name of a file in the user's home.
// - Lists have at most 500 jobs a page, the newest first; errors are plain texts.
#include <rapidjson/document.h>

#include <algorithm>
#include <filesystem>
#include <limits>
#include <map>
#include <set>

#include <fmt/format.h>

#include "lib/text/numbers.hpp"
#include "sim/minioar/api.hpp"
#include "sim/minioar/oarsub.hpp"
#include "sim/minioar/pages.hpp"

namespace gleaner::minioar {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kLongestSubmission = std::size_t{1} << 24U;
constexpr std::int64_t kPage = 50, kMostOfPage = 500;

http::Response json5(unsigned status, std::string body) {
  http::Response response;
  response.status = status;
  response.headers.add("Content-Type", "application/json");
  response.body = std::move(body);
  return response;
}

http::Response text5(unsigned status, std::string text) {
  http::Response response;
  response.status = status;
  response.headers.add("Content-Type", "text/plain; charset=utf-8");
  response.body = std::move(text);
  return response;
}

std::string small_letters(std::string_view text) {
  std::string small{text};
  std::ranges::transform(small, small.begin(), [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  return small;
}

/// `waiting, running`: the API capitalizes each, so that it finds no state with a capital inside, such as toLaunch.
std::set<std::string> states_of(const std::string& list) {
  std::set<std::string> states;
  for (std::size_t begin = 0; begin <= list.size();) {
    const auto comma = std::min(list.find(',', begin), list.size());
    auto state = small_letters(list.substr(begin, comma - begin));
    std::erase(state, ' ');
    if (!state.empty()) state[0] = static_cast<char>(state[0] - 'a' + 'A');
    states.insert(std::move(state));
    begin = comma + 1;
  }
  return states;
}

enum class Resources { left_out, named };

void write_job5(text::JsonWriter& json, const Ledger& ledger, const Job& job, Resources resources) {
  const auto& submission = *job.submission;
  json.begin_object().field("uid", job.id).field("user_uid", submission.user).field("user", submission.user);
  json.field("walltime", submission.moldables.at(static_cast<std::size_t>(job.moldable.value_or(0))).walltime);
  json.field("queue", submission.queue).field("state", small_letters(name_of(job.state))).field("project", submission.project);
  if (submission.name) json.field("name", *submission.name);
  json.key("types").begin_array();
  for (const auto& type : submission.types) json.value(type);
  json.end_array().field("mode", "PASSIVE").field("command", job.command).field("submitted_at", submission.submission_time);
  if (job.scheduled_start) json.field("scheduled_at", *job.scheduled_start);
  json.field("started_at", job.start_time);
  if (job.stop_time > 0) json.field("stopped_at", job.stop_time);
  json.field("message", job.message);
  if (job.exit_code) json.field("exit_code", *job.exit_code);
  json.field("properties", submission.properties).field("directory", submission.directory).key("events").begin_array();
  for (const auto& event : job.events)
    json.begin_object()
        .field("uid", event.id)
        .field("created_at", event.date)
        .field("type", event.type)
        .field("description", event.description)
        .end_object();
  json.end_array();
  if (resources == Resources::named) {
    std::set<std::string> nodes;
    for (const int place : job.resources) nodes.insert(ledger.resources()[static_cast<std::size_t>(place)].host);
    json.key("assigned_nodes").begin_array();
    for (const auto& node : nodes) {
      if (!node.empty()) json.value(node);
    }
    json.end_array();
  }
  json.end_object();
}

/// The posted JSON as what the API gives to OAR's. Error: what is wrong.
tl::expected<PostedOptions, std::string> read_posted5(const std::string& body, const std::string& home) {
  rapidjson::Document document;
  document.Parse(body.data(), body.size());
  if (document.HasParseError() || !document.IsObject()) return tl::unexpected{std::string{"Bad Request"}};
  const auto text_of = [&](const char* name) {
    return document.HasMember(name) && document[name].IsString() ? std::string{document[name].GetString(), document[name].GetStringLength()}
                                                                 : std::string{};
  };
  PostedOptions posted;
  posted.script = text_of("command");
  if (posted.script->empty())
    return tl::unexpected{std::string{"The job you are trying to submit is not valid: you must give a :command to execute on launch"}};
  posted.workdir = home;
  if (const auto resources = text_of("resources"); !resources.empty()) posted.options.emplace_back("resource", resources);
  if (const auto properties = text_of("properties"); !properties.empty()) posted.options.emplace_back("property", properties);
  if (document.HasMember("types") && document["types"].IsArray()) {
    for (const auto& type : document["types"].GetArray()) {
      if (type.IsString()) posted.options.emplace_back("type", type.GetString());
    }
  }
  for (const auto* const name : {"queue", "name", "project", "stdout", "stderr", "directory"}) {
    if (auto text = text_of(name); !text.empty()) posted.options.emplace_back(name, std::move(text));
  }
  for (const auto* const name : {"signal", "checkpoint"}) {
    if (document.HasMember(name) && document[name].IsInt64()) posted.options.emplace_back(name, std::to_string(document[name].GetInt64()));
  }
  return posted;
}

}  // namespace

http::Response Api::answer_g5k(const http::Request& request, const std::string& path_info) {
  const auto credentials = credentials_of(request);
  const auto user = credentials.substr(0, credentials.find(':'));
  const bool is_right = !user.empty() && (options_.password.empty() || credentials == user + ":" + options_.password);
  if (!is_right || !knows(user)) return text5(401, "Authorization Required");
  Call call{request, options_.prefix, path_info, path_info, user, engine_.date()};
  while (call.path.size() > 1 && call.path.ends_with('/')) call.path.pop_back();
  const auto& method = request.method;
  if (call.path == "/status" && method == "GET") return status_g5k();
  if (call.path == "/jobs")
    return method == "POST" ? post_job_g5k(call) : method == "GET" ? list_jobs_g5k(call) : text5(405, "Method Not Allowed");
  constexpr std::string_view kOne{"/jobs/"};
  if (call.path.starts_with(kOne)) {
    const auto id = text::whole_number<JobNumber>(std::string_view{call.path}.substr(kOne.size()));
    if (!id) return text5(404, fmt::format("Couldn't find OAR::Job with 'job_id'={}", call.path.substr(kOne.size())));
    if (method == "GET") return show_job_g5k(call, *id, 200);
    if (method == "DELETE") return delete_job_g5k(call, *id);
  }
  return text5(404, "Not Found");
}

http::Response Api::list_jobs_g5k(const Call& call) {
  const auto limit = std::clamp<std::int64_t>(call.number("limit").value_or(kPage), 0, kMostOfPage);
  const auto offset = std::max<std::int64_t>(call.number("offset").value_or(0), 0);
  const auto user = call.parameter("user"), name = call.parameter("name"), queue = call.parameter("queue"), state = call.parameter("state");
  const auto states = state ? states_of(*state) : std::set<std::string>{};
  const auto resources = call.parameter("resources").value_or("no") == "no" ? Resources::left_out : Resources::named;
  return engine_.read([&](Ledger& ledger) {
    std::vector<const Job*> found;
    for (const auto& job : ledger.jobs()) {
      const auto& submission = *job.submission;
      const bool is_wanted = (!user || user->empty() || submission.user == *user) && (!name || name->empty() || submission.name == *name) &&
                             (!queue || submission.queue == *queue) && (!state || states.contains(std::string{name_of(job.state)}));
      if (is_wanted) found.push_back(&job);
    }
    std::ranges::sort(found, [](const Job* a, const Job* b) { return a->id > b->id; });
    const auto total = static_cast<std::int64_t>(found.size());
    text::JsonWriter json;
    json.begin_object().field("total", total).field("offset", offset).key("items").begin_array();
    for (auto i = offset; i < std::min(total, offset + limit); ++i)
      write_job5(json, ledger, *found[static_cast<std::size_t>(i)], resources);
    json.end_array().end_object();
    return json5(200, json.text());
  });
}

http::Response Api::show_job_g5k(const Call& /*call*/, JobNumber id, unsigned status) {
  return engine_.read([&](Ledger& ledger) {
    for (const auto& job : ledger.jobs()) {
      if (job.id != id) continue;
      text::JsonWriter json;
      write_job5(json, ledger, job, Resources::named);
      return json5(status, json.text());
    }
    return text5(404, fmt::format("Couldn't find OAR::Job with 'job_id'={}", id));
  });
}

http::Response Api::post_job_g5k(const Call& call) {
  const auto body = call.http.body->read_all(kLongestSubmission);
  if (!body) return text5(400, std::string{http::describe(body.error())});
  std::error_code ignored;
  const auto home = engine_.home_of(call.user);
  fs::create_directories(home, ignored);
  const auto posted = read_posted5(*body, home);
  if (!posted) return text5(400, posted.error());
  const auto done = oarsub(engine_, call.user, *posted);
  if (done) return show_job_g5k(call, done->ids.front(), 201);
  const auto& error = done.error();
  const bool is_known = error.code == 400 || error.code == 401 || error.code == 403 || error.code == 404;
  return text5(
      is_known ? static_cast<unsigned>(error.code) : 500U,
      fmt::format("Request to {}/internal/oarapi/jobs.json failed with status {}: {}", options_.prefix, error.code, error.message));
}

http::Response Api::delete_job_g5k(const Call& call, JobNumber id) {
  const auto done = engine_.kill(call.user, id);
  if (!done && done.error() == Refusal::unknown_job) return text5(404, fmt::format("Couldn't find OAR::Job with 'job_id'={}", id));
  if (!done && done.error() == Refusal::wrong_user) return text5(403, "You are not authorized to access this resource");
  auto response = text5(202, "");
  response.headers.add("Location", fmt::format("{}/jobs/{}", options_.prefix, id));
  response.headers.add("X-Oar-Info", done ? "Deleting the job" : "-");
  return response;
}

http::Response Api::status_g5k() {
  struct Slots {
    std::string hard = "dead";
    int total = 0, busy = 0, best_effort = 0;
  };
  return engine_.read([&](Ledger& ledger) {
    std::map<std::string, Slots> nodes;
    for (const auto& resource : ledger.resources()) {
      if (resource.licence > 0) continue;
      auto& node = nodes[resource.host];
      ++node.total;
      const bool wakes = resource.state == ResourceState::absent && engine_.options().wake_delay;
      node.hard = wakes ? "standby" : small_letters(name_of(resource.state));
    }
    for (const auto& job : ledger.jobs()) {
      if (job.state != JobState::running) continue;
      for (const int place : job.resources) {
        const auto& resource = ledger.resources()[static_cast<std::size_t>(place)];
        if (resource.licence > 0) continue;
        ++nodes[resource.host].busy;
        if (job.submission->best_effort()) ++nodes[resource.host].best_effort;
      }
    }
    text::JsonWriter json;
    json.begin_object().field("uid", engine_.date()).key("nodes").begin_object();
    for (const auto& [name, node] : nodes) {
      const bool is_dead = node.hard == "dead";
      json.key(name).begin_object().field("hard", node.hard);
      json.field("soft", is_dead ? "unknown" : node.busy == 0 ? "free" : node.busy == node.total ? "busy" : "free_busy");
      json.field("free_slots", is_dead ? 0 : node.total - node.busy).field("freeable_slots", is_dead ? 0 : node.best_effort);
      json.field("busy_slots", is_dead ? 0 : node.busy - node.best_effort).end_object();
    }
    json.end_object().key("disks").begin_object().end_object().end_object();
    return json5(200, json.text());
  });
}

}  // namespace gleaner::minioar
