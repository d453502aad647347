// Routes that read events.
#include <array>

#include <fmt/format.h>

#include "api/campaign_json.hpp"
#include "api/event_json.hpp"
#include "api/limits.hpp"
#include "api/page.hpp"
#include "api/router.hpp"
#include "api/stream_request.hpp"
#include "lib/store/views_grid.hpp"

namespace gleaner::api {
namespace {

namespace views = store::views;

std::string_view class_of(const views::EventView& event) {
  if (event.job) return "job";
  if (event.campaign) return "campaign";
  return event.cluster ? "cluster" : "grid";
}

std::string message_of(const views::EventView& event, Audience audience) {
  if (event.output.empty()) return event.message;
  if (audience == Audience::owner) return fmt::format("{}; its last lines of stderr:\n{}", event.message, event.output);
  return fmt::format("{}; the last lines of its stderr are for {} and administrators", event.message, event.user);
}

}  // namespace

void write_event(text::JsonWriter& json, const views::EventView& event, Audience audience) {
  json.object([&] {
    json.field("id", event.id);
    json.field("class", class_of(event));
    json.field("code", event.code);
    json.field("state", event.state);
    json.field("campaign_id", event.campaign);
    json.field("cluster_id", event.cluster);
    json.field("cluster_name", event.cluster ? std::optional{event.cluster_name} : std::nullopt);
    json.field("job_id", event.job);
    json.field("occurrences", event.occurrences);
    json.field("date_open", event.opened_at);
    json.field("date_update", event.last_at);
    json.field("date_closed", event.closed_at);
    json.field("message", message_of(event, audience));
    const auto parent = event.campaign ? campaign_path(grid::CampaignId{*event.campaign}) + "/events" : std::string{"/v1/events"};
    write_links(json, {{"self", fmt::format("/v1/events/{}", event.id)}, {"parent", parent}});
  });
}

namespace {

Audience audience_of(const Call& call, const views::EventView& event) {
  return may_change(call, event.user) ? Audience::owner : Audience::others;
}

/// Bytes of memory for a page of events: a message has at most 4 kB, and as much of stderr.
Asked<Memory> memory_of(const Call& call, views::Window part) { return take_memory(call, static_cast<std::uint64_t>(part.limit) * 10'000); }

http::Response list(const Call& call, const views::Page<views::EventView>& page, views::Window part, const std::string& parent) {
  text::JsonWriter json;
  json.object([&] {
    json.key("items").array(page.items, [&](const auto& event) { write_event(json, event, audience_of(call, event)); });
    write_page_end(json, call, {.window = part, .shown = std::ssize(page.items), .total = page.total, .parent = parent});
  });
  return answer(json);
}

views::Which asked_which(const Call& call) { return flag(call, "all") ? views::Which::all : views::Which::open; }

http::Response list_campaign_events(const Call& call) {
  const auto id = id_of(call.parts[0]);
  if (!id) return no_campaign(call);
  const auto part = window(call);
  if (!part) return part.error();
  auto memory = memory_of(call, *part);
  if (!memory) return memory.error();
  const auto page = call.connections.read([&](store::Transaction& transaction) -> std::optional<views::Page<views::EventView>> {
    if (!views::campaign(transaction, grid::CampaignId{*id})) return std::nullopt;
    return views::campaign_events(transaction, grid::CampaignId{*id}, asked_which(call), *part);
  });
  if (!page) return no_campaign(call);
  return with_memory(list(call, *page, *part, campaign_path(grid::CampaignId{*id})), std::move(*memory));
}

http::Response list_grid_events(const Call& call) {
  if (asks_for_stream(call)) return open_stream(call);
  if (call.request.parameter("campaign"))
    return error(Code::bad_value, "campaign is of a stream: add after=now, or ask for /v1/campaigns/ID/events");
  const auto part = window(call);
  if (!part) return part.error();
  auto memory = memory_of(call, *part);
  if (!memory) return memory.error();
  const auto page = call.connections.read([&](store::Transaction& transaction) {
    if (flag(call, "mine")) return views::user_events(transaction, call.caller.user, asked_which(call), *part);
    return views::grid_events(transaction, asked_which(call), *part);
  });
  return with_memory(list(call, page, *part, "/"), std::move(*memory));
}

http::Response show_event(const Call& call) {
  const auto unknown = [&] { return error(Code::no_such_event, fmt::format("there is no event '{}'", jdl::excerpt(call.parts[0]))); };
  const auto id = id_of(call.parts[0]);
  if (!id) return unknown();
  const auto event = call.connections.read([&](store::Transaction& transaction) { return views::event(transaction, *id); });
  const bool is_of_another = event && !event->campaign && !event->user.empty() && event->user != call.caller.user;
  if (!event || (is_of_another && call.caller.role != Role::administrator)) return unknown();
  text::JsonWriter json;
  write_event(json, *event, audience_of(call, *event));
  return answer(json);
}

}  // namespace

std::span<const Route> event_routes() {
  static constexpr std::array kRoutes{
      Route{"GET", "/v1/campaigns/:id/events", Access::identified, list_campaign_events, "all limit offset"},
      Route{"GET", "/v1/events", Access::identified, list_grid_events, "all mine limit offset after campaign..."},
      Route{"GET", "/v1/events/:id", Access::identified, show_event},
  };
  return kRoutes;
}

}  // namespace gleaner::api
