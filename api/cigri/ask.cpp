#include "api/cigri/ask.hpp"

#include <stdexcept>

#include <fmt/format.h>

#include "api/cigri/body.hpp"
#include "api/cigri/words.hpp"
#include "api/readership.hpp"
#include "api/router.hpp"
#include "lib/text/json_value.hpp"
#include "lib/text/percent.hpp"
#include "lib/text/utc.hpp"

namespace gleaner::api::cigri {
namespace {

using rapidjson::Value;

constexpr std::string_view kAdmission{"Admission rule error"};

http::Response send(const Call& call, const Question& question, http::Headers headers, http::Body& body) {
  static const auto routes = api::all_routes();
  const auto path = std::string{kVersionPath} + question.path;
  const http::Request request{.method = std::string{question.method},
                              .target = path,
                              .path = path,
                              .query = question.query,
                              .headers = std::move(headers),
                              .peer = call.request.peer,
                              .body = &body};
  const auto found = find_route(routes, request.method, request.path);
  const auto* const match = std::get_if<Match>(&found);
  if (match == nullptr) throw std::logic_error{fmt::format("{} {} is no route of ours", request.method, request.path)};
  return respond_if_readable(
      *match->route, Call{request, match->parts, call.caller, call.connections, call.defaults, call.sandbox, call.config, call.spool,
                          call.room, call.cluster_turns, call.file_turns, call.event_streams, call.input_spool, call.summaries,
                          call.uses_in_time, call.what_ifs, call.health, call.now, call.param_files});
}

/// Room held for an answer is returned before more is taken. The answer to a change takes nothing: the change is made, and to refuse its
/// answer would have the client make it again.
Asked<Ours> read(const Call& call, const Question& question, http::Response response) {
  constexpr unsigned kFirstError = 400;
  constexpr std::uint64_t kParsed = 5;  // bytes of memory for one of the answer, at most, the answer included
  if (response.status >= kFirstError) return tl::unexpected{translated_refusal(call.caller, response, question.doing)};
  response.kept.reset();
  Ours ours;
  if (question.method == "GET") {
    auto memory = take_memory(call, kParsed * response.body.size());
    if (!memory) return tl::unexpected{std::move(memory.error())};
    ours.memory = std::move(*memory);
  }
  ours.json.Parse<rapidjson::kParseIterativeFlag>(response.body.data(), response.body.size());
  if (ours.json.HasParseError() || !ours.json.IsObject()) throw std::logic_error{"an answer of our own is no JSON object"};
  return ours;
}

std::string_view title_of(unsigned status, std::string_view ours) {
  switch (status) {
    case 400: return "Error";
    case 403: return "Forbidden";
    case 404: return "Not found";
    default: return ours;
  }
}

/// CiGri knows neither 401 nor 409, and answers 400 to a refusal by an admission rule.
unsigned status_of(unsigned ours, bool is_admission) {
  if (ours == 401) return 403;
  const bool is_wrong = ours == 409 || (ours == 403 && is_admission);
  return is_wrong ? 400 : ours;
}

/// The errors in a campaign file, where there is more than the message states.
std::string problems_text(const Value& ours) {
  const auto& problems = member(ours, "problems");
  std::string text;
  if (!problems.IsArray() || problems.Size() < 2) return text;
  for (const auto& problem : problems.GetArray())
    text += fmt::format("\n{}:{}: {}: {}", number_of(problem, "line").value_or(0), number_of(problem, "column").value_or(0),
                        text_of(problem, "path"), text_of(problem, "message"));
  return text;
}

http::Response message_answer(unsigned status, std::string_view title, std::string_view message) {
  text::JsonWriter json;
  json.object([&] {
    json.field("status", std::int64_t{status});
    json.field("title", title);
    json.field("message", message);
  });
  return answer(status, json.text());
}

}  // namespace

Asked<Ours> ask(const Call& call, const Question& question) {
  http::Headers headers;
  if (!question.body.empty()) headers.add("Content-Type", "application/json");
  ContinuedBody body{question.body, nullptr};
  return read(call, question, send(call, question, std::move(headers), body));
}

Asked<Ours> forward(const Call& call, const Question& question) {
  http::Headers headers;
  headers.add("Content-Type", "application/json");
  for (const auto* name : {"Content-Length", "Idempotency-Key"}) {
    if (const auto value = call.request.headers.find(name)) headers.add(name, std::string{*value});
  }
  return read(call, question, send(call, question, std::move(headers), *call.request.body));
}

Asked<Ours> ask_clusters(const Call& call) {
  return ask(call, {.method = "GET", .path = "/clusters", .query = {{"limit", fmt::format("{}", call.config.max_rows)}}});
}

http::Response refusal(unsigned status, std::string_view message) { return message_answer(status, title_of(status, "Error"), message); }

http::Response acknowledgement(unsigned status, std::string_view title, std::string_view message) {
  return message_answer(status, title, message);
}

http::Response translated_refusal(const Caller& caller, const http::Response& ours, std::string_view doing) {
  rapidjson::Document json;
  json.Parse<rapidjson::kParseIterativeFlag>(ours.body.data(), ours.body.size());
  if (json.HasParseError() || !json.IsObject()) throw std::logic_error{"a refusal of our own is no JSON object"};
  const bool is_admission = text_of(json, "title") == kAdmission;
  const auto status = status_of(ours.status, is_admission);
  std::string message = status == 400 && !is_admission ? std::string{doing} : std::string{};
  message += text_of(json, "message");
  message += problems_text(json);
  if (status == 403 && caller.user.empty()) message = "Access denied: not authenticated";
  auto response = message_answer(status, is_admission ? kAdmission : title_of(status, text_of(json, "title")), message);
  if (const auto later = ours.headers.find("Retry-After")) response.headers.add("Retry-After", std::string{*later});
  return response;
}

const Value& member(const Value& object, std::string_view name) {
  static const Value nothing;
  if (!object.IsObject()) return nothing;
  const auto found = object.FindMember(Value{rapidjson::StringRef(name.data(), static_cast<rapidjson::SizeType>(name.size()))});
  return found == object.MemberEnd() ? nothing : found->value;
}

std::string_view text_of(const Value& object, std::string_view name) {
  const auto& value = member(object, name);
  return value.IsString() ? std::string_view{value.GetString(), value.GetStringLength()} : std::string_view{};
}

std::optional<std::int64_t> number_of(const Value& object, std::string_view name) {
  const auto& value = member(object, name);
  return value.IsInt64() ? std::optional{value.GetInt64()} : std::nullopt;
}

void copy(text::JsonWriter& json, const Value& from, std::initializer_list<std::string_view> names) {
  for (const auto name : names) copy_as(json, name, from, name);
}

void copy_as(text::JsonWriter& json, std::string_view name, const Value& from, std::string_view ours) {
  json.key(name).raw(text::json_text(member(from, ours)));
}

void copy_date(text::JsonWriter& json, const Value& from, std::string_view name) {
  const auto time = text_of(from, name);
  json.field(name, time.empty() ? std::nullopt : std::optional{date(time)});
}

void copy_seconds(text::JsonWriter& json, const Value& from, std::string_view name) {
  const auto time = text::read_utc(text_of(from, name));
  json.field(name, time ? std::optional<std::int64_t>{time->time_since_epoch().count()} : std::nullopt);
}

bool has_next(const Value& ours) {
  const auto& links = member(ours, "links");
  if (!links.IsArray()) return false;
  for (const auto& one : links.GetArray()) {
    if (text_of(one, "rel") == "next") return true;
  }
  return false;
}

std::string link(const Call& call, std::string_view path) {
  return href(call.request.headers.find("X-CIGRI-API-PATH-PREFIX").value_or(""), path);
}

std::string part(const Call& call, std::size_t index) { return text::percent_encoded(call.parts.at(index)); }

std::string campaign_path(const Call& call, std::string_view rest) { return fmt::format("/campaigns/{}{}", part(call, 0), rest); }

void write_campaign(text::JsonWriter& json, const Call& call, const Value& ours) {
  copy(json, ours, {"id", "name", "user", "state", "has_events"});
  copy_seconds(json, ours, "submission_time");
  copy_as(json, "total_jobs", ours, "total_tasks");
  copy_as(json, "finished_jobs", member(ours, "tasks"), "done");
  const auto path = fmt::format("/campaigns/{}", number_of(ours, "id").value_or(0));
  write_links(json, {{"self", link(call, path)},
                     {"parent", link(call, "/campaigns")},
                     {"collection", link(call, path + "/jobs"), "jobs"},
                     {"collection", link(call, path + "/events"), "events"},
                     {"item", link(call, path + "/jdl"), "jdl"}});
}

}  // namespace gleaner::api::cigri
