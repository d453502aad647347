// The route of the reasons that a campaign's pairs had, and for how long.
#include <algorithm>
#include <array>
#include <optional>

#include "api/answers.hpp"
#include "api/campaign_json.hpp"
#include "api/page.hpp"
#include "api/router.hpp"
#include "lib/decisions/history.hpp"
#include "lib/grid/reason_times.hpp"
#include "lib/store/views.hpp"

namespace gleaner::api {
namespace {

/// Seconds with their fraction, so that they add up.
double seconds_of(grid::Length length) { return std::chrono::duration<double>{length}.count(); }

void write_cluster_of_times(text::JsonWriter& json, const std::optional<grid::ClusterId>& cluster, const std::string& name) {
  json.field("cluster_id", cluster);
  json.field("cluster_name", cluster ? std::optional{name} : std::nullopt);
}

void write_reason_words(text::JsonWriter& json, const std::string& reason, const std::string& subject) {
  json.field("reason", reason);
  json.field("subject", subject.empty() ? std::nullopt : std::optional{subject});
  json.field("words", decisions::short_words(reason, subject));
}

void write_times(text::JsonWriter& json, const grid::ReasonTimes& times) {
  write_cluster_of_times(json, times.cluster, times.cluster_name);
  json.field("from", times.from);
  json.field("until", times.until);
  json.field("seconds", seconds_of(times.until - times.from));
  json.field("undecided_seconds", seconds_of(times.undecided));
  json.key("shares").array(times.shares, [&](const grid::ReasonShare& share) {
    json.object([&] {
      write_reason_words(json, share.reason, share.subject);
      json.field("seconds", seconds_of(share.lasted));
    });
  });
}

void write_period(text::JsonWriter& json, const grid::ReasonPeriod& period) {
  write_cluster_of_times(json, period.cluster, period.cluster_name);
  write_reason_words(json, period.reason, period.subject);
  json.field("since", period.since);
  json.field("until", period.until);
  json.field("seconds", seconds_of(period.lasted));
  json.field("summed", period.summed);
}

http::Response list_history(const Call& call) {
  const auto id = id_of(call.parts[0]);
  if (!id) return no_campaign(call);
  const auto part = window(call);
  if (!part) return part.error();
  const auto since = instant(call, "since");
  if (!since) return since.error();
  const auto from = since->value_or(grid::Instant{});
  auto found = call.connections.read([&](store::Transaction& transaction) -> std::optional<std::vector<grid::ReasonPeriod>> {
    if (!store::views::campaign(transaction, grid::CampaignId{*id})) return std::nullopt;
    return store::views::decision_history(transaction, grid::CampaignId{*id}, from, call.now);
  });
  if (!found) return no_campaign(call);
  const auto times = grid::times_of(*found, from, call.now);
  std::ranges::stable_sort(*found, std::ranges::greater{}, &grid::ReasonPeriod::since);
  const auto page = page_of(*found, *part);
  text::JsonWriter json;
  json.object([&] {
    json.key("clusters").array(times, [&](const grid::ReasonTimes& of) { json.object([&] { write_times(json, of); }); });
    json.key("items").array(page, [&](const grid::ReasonPeriod& period) { json.object([&] { write_period(json, period); }); });
    write_page_end(
        json, call,
        {.window = *part, .shown = std::ssize(page), .total = std::ssize(*found), .parent = campaign_path(grid::CampaignId{*id})});
  });
  return answer(json);
}

}  // namespace

std::span<const Route> decision_history_routes() {
  static constexpr std::array kRoutes{
      Route{"GET", "/v1/campaigns/:id/decisions/history", Access::identified, list_history, "since limit offset", Etag::none},
  };
  return kRoutes;
}

}  // namespace gleaner::api
