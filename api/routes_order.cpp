// The route of the order: in which order the latest plan served the campaigns, and by which figures.
#include <algorithm>
#include <array>
#include <limits>
#include <optional>

#include "api/answers.hpp"
#include "api/campaign_json.hpp"
#include "api/limits.hpp"
#include "api/page.hpp"
#include "api/quiet.hpp"
#include "api/readership.hpp"
#include "api/router.hpp"
#include "lib/store/planning.hpp"
#include "lib/store/views_order.hpp"

namespace gleaner::api {
namespace {

namespace views = store::views;

void write_class_of_place(text::JsonWriter& json, const views::OrderClass& of_class) {
  json.field("number", of_class.number);
  json.field("type", of_class.type);
  json.field("project_priority", of_class.project_priority);
  json.field("group_priority", of_class.group_priority);
  json.field("priority", of_class.priority);
  json.field("clusters", of_class.clusters);
}

/// Members that the caller may not read are null.
void write_order_place(text::JsonWriter& json, const views::OrderPlace& place) {
  const auto& campaign = place.campaign;
  const auto standing = campaign && campaign->standing ? std::optional{rendered_decision(*campaign->standing)} : std::nullopt;
  json.field("place", place.place);
  json.key("class").object([&] { write_class_of_place(json, place.of_class); });
  json.field("campaign_id", campaign ? std::optional{campaign->id} : std::nullopt);
  json.field("name", campaign ? std::optional{campaign->name} : std::nullopt);
  json.field("user", campaign ? std::optional{campaign->user} : std::nullopt);
  json.field("project", campaign && !campaign->project.empty() ? std::optional{campaign->project} : std::nullopt);
  json.field("submission_time", campaign ? std::optional{campaign->submitted_at} : std::nullopt);
  json.key("figures");
  if (standing) json.raw(standing->figures);
  else json.null();
  json.field("sentence", standing ? std::optional{standing->sentence} : std::nullopt);
}

Asked<views::OrderFilter> asked_places(const Call& call) {
  views::OrderFilter filter;
  if (call.request.parameter("campaign")) {
    const auto id = number(call, "campaign", 0, {1, std::numeric_limits<std::int64_t>::max()});
    if (!id) return tl::unexpected{id.error()};
    filter.campaign = *id;
  }
  auto user = call.request.parameter("user");
  if (user == std::optional<std::string_view>{"me"}) user = call.caller.user;
  if (user) filter.user = std::string{*user};
  return filter;
}

http::Response show_order(const Call& call) {
  auto filter = asked_places(call);
  if (!filter) return filter.error();
  const auto part = window(call);
  if (!part) return part.error();
  constexpr std::uint64_t kBytesOfPlace = 6000;
  auto memory = take_memory(call, static_cast<std::uint64_t>(part->limit) * kBytesOfPlace);
  if (!memory) return memory.error();
  Quiet quiet;
  const auto order = call.connections.read([&](store::Transaction& transaction) {
    filter->readers = readership_of(call, transaction).restriction();
    quiet = quiet_of(call, transaction);
    return views::campaign_order(transaction, *filter, *part);
  });
  const auto items = order ? order->page.items : std::vector<views::OrderPlace>{};
  auto total = order ? order->page.total : 0;
  if (order && items.empty() && !filter->campaign && !filter->user)
    total = std::min(order->places, static_cast<std::int64_t>(store::kMostPlaces));  // the page is beyond the end
  text::JsonWriter json;
  json.object([&] {
    json.field("campaign_order", order ? std::optional{order->campaign_order} : std::nullopt);
    json.field("places", order ? order->places : 0);
    json.field("since", order ? std::optional{order->since} : std::nullopt);
    json.key("items").array(items, [&](const views::OrderPlace& place) { json.object([&] { write_order_place(json, place); }); });
    json.field("old_since", quiet.lapses.unplanned);
    json.field("standstill", quiet.standstill);
    write_page_end(json, call, {.window = *part, .shown = std::ssize(items), .total = total, .parent = "/"});
  });
  return with_memory(answer(json), std::move(*memory));
}

}  // namespace

std::span<const Route> order_routes() {
  static constexpr std::array kRoutes{
      Route{"GET", "/v1/order", Access::identified, show_order, "campaign user limit offset"},
  };
  return kRoutes;
}

}  // namespace gleaner::api
