#include "sim/minioar/records.hpp"

#include <algorithm>

#include <rapidjson/document.h>

#include "lib/text/json_writer.hpp"

namespace gleaner::minioar {

namespace {

using Json = rapidjson::Value;

const Json* member(const Json& object, const char* name) {
  const auto found = object.FindMember(name);
  return found == object.MemberEnd() || found->value.IsNull() ? nullptr : &found->value;
}
std::int64_t integer(const Json& object, const char* name) {
  const auto* value = member(object, name);
  return value != nullptr && value->IsInt64() ? value->GetInt64() : 0;
}
std::optional<std::int64_t> maybe_integer(const Json& object, const char* name) {
  const auto* value = member(object, name);
  if (value == nullptr || !value->IsInt64()) return std::nullopt;
  return value->GetInt64();
}
std::string text_of(const Json& value) {
  return value.IsString() ? std::string{value.GetString(), value.GetStringLength()} : std::string{};
}
std::string text(const Json& object, const char* name) {
  const auto* value = member(object, name);
  return value != nullptr ? text_of(*value) : std::string{};
}
bool flag(const Json& object, const char* name) { return integer(object, name) != 0; }

template <class Each>
void each_of(const Json& object, const char* name, Each each) {
  const auto* value = member(object, name);
  if (value == nullptr || !value->IsArray()) return;
  for (const auto& item : value->GetArray()) each(item);
}

void write_texts(text::JsonWriter& json, std::string_view name, const std::vector<std::string>& texts) {
  json.key(name).begin_array();
  for (const auto& each : texts) json.value(each);
  json.end_array();
}

void write_submission(text::JsonWriter& json, const Submission& s) {
  json.field("user", s.user).field("name", s.name).field("project", s.project).field("queue", s.queue);
  write_texts(json, "types", s.types);
  json.field("property", s.property);
  write_texts(json, "resources", s.resources);
  json.field("request", s.initial_request).field("directory", s.directory).field("stdout", s.stdout_file).field("stderr", s.stderr_file);
  json.field("checkpoint", s.checkpoint).field("signal", std::int64_t{s.signal});
  json.key("after").begin_array();
  for (const auto id : s.after) json.value(id);
  json.end_array();
  json.field("not_before", s.not_before).field("submitted", s.submission_time).field("hold", std::int64_t{s.starts_on_hold ? 1 : 0});
}

Submission read_submission(const Json& object) {
  Submission s;
  s.user = text(object, "user");
  if (member(object, "name") != nullptr) s.name = text(object, "name");
  s.project = text(object, "project");
  s.queue = text(object, "queue");
  each_of(object, "types", [&](const Json& item) { s.types.push_back(text_of(item)); });
  s.property = text(object, "property");
  each_of(object, "resources", [&](const Json& item) { s.resources.push_back(text_of(item)); });
  s.initial_request = text(object, "request");
  s.directory = text(object, "directory");
  s.stdout_file = text(object, "stdout");
  s.stderr_file = text(object, "stderr");
  s.checkpoint = integer(object, "checkpoint");
  s.signal = static_cast<int>(integer(object, "signal"));
  each_of(object, "after", [&](const Json& item) { s.after.push_back(item.GetInt64()); });
  s.not_before = integer(object, "not_before");
  s.submission_time = integer(object, "submitted");
  s.starts_on_hold = flag(object, "hold");
  return s;
}

JobsRecord read_jobs(const Json& object) {
  JobsRecord record{read_submission(object), {}};
  each_of(object, "jobs", [&](const Json& item) {
    Job job;
    job.id = integer(item, "id");
    job.array_id = integer(item, "array");
    job.array_index = static_cast<int>(integer(item, "index"));
    job.resubmitted = integer(item, "instead_of");
    job.command = text(item, "command");
    record.jobs.push_back(std::move(job));
  });
  return record;
}

std::optional<Record> read_state(const Json& object) {
  Job job;
  job.id = integer(object, "id");
  const auto state = std::find(kJobStateNames.begin(), kJobStateNames.end(), text(object, "state"));
  if (state == kJobStateNames.end()) return std::nullopt;
  job.state = static_cast<JobState>(state - kJobStateNames.begin());
  job.start_time = integer(object, "start");
  job.stop_time = integer(object, "stop");
  job.exit_code = maybe_integer(object, "exit");
  job.message = text(object, "message");
  each_of(object, "places", [&](const Json& item) { job.resources.push_back(item.GetInt()); });
  if (const auto moldable = maybe_integer(object, "moldable")) job.moldable = static_cast<int>(*moldable);
  job.fragged = flag(object, "fragged");
  const auto missed = std::find(kMissedNames.begin(), kMissedNames.end(), text(object, "missed"));
  if (missed != kMissedNames.end()) job.missed = static_cast<Missed>(missed - kMissedNames.begin());
  return StateRecord{std::move(job)};
}

}  // namespace

std::string jobs_line(const Submission& submission, const std::vector<const Job*>& jobs) {
  text::JsonWriter json;
  json.begin_object().field("r", "jobs");
  write_submission(json, submission);
  json.key("jobs").begin_array();
  for (const auto* job : jobs) {
    json.begin_object().field("id", job->id).field("array", job->array_id).field("index", std::int64_t{job->array_index});
    json.field("instead_of", job->resubmitted).field("command", job->command).end_object();
  }
  json.end_array().end_object();
  return json.text() + "\n";
}

std::string state_line(const Job& job) {
  text::JsonWriter json;
  json.begin_object().field("r", "state").field("id", job.id).field("state", name_of(job.state));
  json.field("start", job.start_time).field("stop", job.stop_time).field("exit", job.exit_code).field("message", job.message);
  json.key("places").begin_array();
  for (const int place : job.resources) json.value(std::int64_t{place});
  json.end_array();
  json.field("moldable", job.moldable ? std::optional<std::int64_t>{*job.moldable} : std::nullopt);
  json.field("fragged", std::int64_t{job.fragged ? 1 : 0});
  if (job.missed != Missed::nothing) json.field("missed", kMissedNames.at(static_cast<std::size_t>(job.missed)));
  json.end_object();
  return json.text() + "\n";
}

std::string event_line(JobNumber job, const Event& event) {
  text::JsonWriter json;
  json.begin_object().field("r", "event").field("job", job).field("id", event.id).field("date", event.date);
  json.field("type", event.type).field("description", event.description).field("check", std::int64_t{event.to_check ? 1 : 0}).end_object();
  return json.text() + "\n";
}

std::string resource_line(const Resource& resource) {
  text::JsonWriter json;
  json.begin_object().field("r", "resource").field("id", resource.id).field("state", name_of(resource.state)).end_object();
  return json.text() + "\n";
}

std::string server_line(const ServerState& server) {
  text::JsonWriter json;
  json.begin_object().field("r", "server").field("alive", std::int64_t{server.alive ? 1 : 0}).field("ends", name_of(server.ends));
  json.field("report_again_ms", std::int64_t{server.report_again.count()}).end_object();
  return json.text() + "\n";
}

std::string forget_line(JobNumber last) {
  text::JsonWriter json;
  json.begin_object().field("r", "forget").field("last", last).end_object();
  return json.text() + "\n";
}

std::optional<Record> read_record(std::string_view line) {
  rapidjson::Document document;
  document.Parse<rapidjson::kParseIterativeFlag>(line.data(), line.size());
  if (document.HasParseError() || !document.IsObject()) return std::nullopt;
  const auto kind = text(document, "r");
  if (kind == "jobs") return read_jobs(document);
  if (kind == "state") return read_state(document);
  if (kind == "event") {
    return EventRecord{integer(document, "job"),
                       {integer(document, "id"), integer(document, "date"), text(document, "type"), text(document, "description"),
                        flag(document, "check")}};
  }
  if (kind == "resource") {
    const auto state = resource_state(text(document, "state"));
    if (state) return ResourceRecord{integer(document, "id"), *state};
  }
  if (kind == "server") {
    return ServerRecord{{flag(document, "alive"), ends_meanwhile(text(document, "ends")).value_or(EndsMeanwhile::late),
                         std::chrono::milliseconds{integer(document, "report_again_ms")}}};
  }
  if (kind == "forget") return ForgetRecord{integer(document, "last")};
  return std::nullopt;
}

}  // namespace gleaner::minioar
