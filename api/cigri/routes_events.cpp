// CiGri's routes of events.
#include <array>

#include <fmt/format.h>

#include "api/cigri/ask.hpp"
#include "api/cigri/body.hpp"
#include "api/cigri/gate.hpp"
#include "api/cigri/words.hpp"
#include "api/task_intake.hpp"
#include "lib/text/percent.hpp"

namespace gleaner::api::cigri {
namespace {

using rapidjson::Value;

void write_event(text::JsonWriter& json, const Value& ours) {
  copy(json, ours, {"id"});
  json.field("class", event_class(text_of(ours, "class")));
  json.field("code", event_code(text_of(ours, "code")));
  copy(json, ours, {"job_id", "cluster_id", "cluster_name"});
  copy_date(json, ours, "date_open");
  copy(json, ours, {"message"});
  json.key("parent").null();
  copy(json, ours, {"state"});
}

/// CiGri answers 404 to a list without events.
http::Response list(const Call& call, const std::string& path, std::initializer_list<std::string_view> keys,
                    const store::views::Window& page) {
  Question question{.method = "GET", .path = path};
  question.query.emplace_back("limit", fmt::format("{}", page.limit));
  question.query.emplace_back("offset", fmt::format("{}", page.offset));
  std::string kept;
  for (const auto key : keys) {
    const auto value = call.request.parameter(key);
    if (!value) continue;
    question.query.emplace_back(key, *value);
    kept += fmt::format("&{}={}", key, text::percent_encoded(*value));
  }
  auto events = ask(call, question);
  if (events && member(events->json, "items").Empty())
    return refusal(404, fmt::format("{} {} not found on this server", jdl::excerpt(call.request.method), jdl::excerpt(call.request.path)));
  return translated(std::move(events), [&](text::JsonWriter& json, const Value& ours) {
    const auto& items = member(ours, "items");
    json.key("items").array(items.GetArray(), [&](const Value& event) { json.object([&] { write_event(json, event); }); });
    copy(json, ours, {"total", "offset"});
    if (has_next(ours))
      write_links(json, {{"next", link(call, fmt::format("{}?limit={}&offset={}{}", path, page.limit, page.offset + items.Size(), kept))}});
  });
}

http::Response list_campaign_events(const Call& call) {
  const auto page = window(call);
  if (!page) return translated_refusal(call.caller, page.error());
  return list(call, campaign_path(call, "/events"), {"all"}, *page);
}

http::Response list_grid_events(const Call& call) {
  const auto page = window(call);
  if (!page) return translated_refusal(call.caller, page.error());
  return list(call, "/events", {}, *page);
}

http::Response show_event(const Call& call) {
  return translated(ask(call, {.method = "GET", .path = "/events/" + part(call, 0)}), [&](text::JsonWriter& json, const Value& ours) {
    write_event(json, ours);
    copy(json, ours, {"campaign_id"});
    json.field("checked", "yes");
    json.field("notified", false);
    copy_date(json, ours, "date_closed");
    copy_date(json, ours, "date_update");
    write_links(json, {{"self", link(call, fmt::format("/events/{}", call.parts[0]))}, {"parent", link(call, "/events")}});
  });
}

http::Response acknowledged(Asked<Ours> ours) {
  return translated(
      std::move(ours),
      [](text::JsonWriter& json, const Value& answer) {
        copy(json, answer, {"status", "title", "message"});
      },
      202);
}

/// The key counts whatever its value is, as for CiGri.
Question closing(const Call& call, std::string path) {
  Question question{.method = "DELETE", .path = std::move(path)};
  if (call.request.parameter("resubmit")) question.query.emplace_back("resubmit", "1");
  return question;
}

http::Response close_campaign_events(const Call& call) { return acknowledged(ask(call, closing(call, campaign_path(call, "/events")))); }

http::Response close_event(const Call& call) { return acknowledged(ask(call, closing(call, "/events/" + part(call, 0)))); }

/// A number, or a text of digits as forms send it.
std::optional<std::int64_t> id_member(const Value& object, std::string_view name) {
  const auto number = number_of(object, name);
  return number ? number : id_of(std::string{text_of(object, name)});
}

/// The event that is to be opened, as a question to our route.
Asked<Question> opening(const Call& call, const Value& event) {
  const auto code = text_of(event, "code");
  const auto message = text_of(event, "message");
  Question question{.method = "POST", .path = "/events", .doing = "Error creating event: "};
  question.query.emplace_back("reason", message.empty() ? std::string_view{"opened by hand"} : message);
  if (const auto cluster = id_member(event, "cluster_id"); cluster && code == "CLUSTER_MANUALLY_DISABLED") {
    const auto named = ask(call, {.method = "GET", .path = fmt::format("/clusters/{}", *cluster)});
    if (!named) return tl::unexpected{named.error()};
    // A cluster's name may be a number, too.
    if (number_of(named->json, "id") != cluster) return tl::unexpected{refusal(404, fmt::format("there is no cluster {}", *cluster))};
    question.query.emplace_back("cluster", text_of(named->json, "name"));
    return question;
  }
  if (const auto job = id_member(event, "job_id"); job && code == "MANUAL_EVENT") {
    question.query.emplace_back("job", fmt::format("{}", *job));
    return question;
  }
  return tl::unexpected{
      refusal(400, "Error creating event: it has the code CLUSTER_MANUALLY_DISABLED and a cluster_id, or MANUAL_EVENT and a job_id")};
}

http::Response open_event(const Call& call) {
  // As in CiGri, before the body is looked at.
  if (call.caller.role != Role::administrator) return refusal(403, "Error creating event: only administrators may open one");
  auto text = call.request.body->read_all(kLongestForm);
  if (!text) return translated_refusal(call.caller, broken_body(text.error()));
  rapidjson::Document event;
  event.Parse<rapidjson::kParseIterativeFlag>(text->data(), text->size());
  if (event.HasParseError() || !event.IsObject()) return refusal(400, "Error creating event: a JSON object is needed");
  const auto question = opening(call, event);
  if (!question) return question.error();
  const auto opened = ask(call, *question);
  return opened ? acknowledgement(201, "Created", "New event created") : opened.error();
}

}  // namespace

std::span<const Route> event_routes() {
  static constexpr std::array kRoutes{
      Route{"GET", "/campaigns/:id/events", Access::anybody, list_campaign_events, "all limit offset"},
      Route{"DELETE", "/campaigns/:id/events", Access::identified, close_campaign_events, "resubmit"},
      Route{"GET", "/events", Access::anybody, list_grid_events, "limit offset"},
      Route{"POST", "/events", Access::identified, open_event},
      Route{"GET", "/events/:id", Access::anybody, show_event},
      Route{"DELETE", "/events/:id", Access::identified, close_event, "resubmit"},
  };
  return kRoutes;
}

}  // namespace gleaner::api::cigri
