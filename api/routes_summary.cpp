// The route of the page: all that changes, of many campaigns and all clusters, in one answer without links.
#include <array>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "api/campaign_json.hpp"
#include "api/cluster_json.hpp"
#include "api/limits.hpp"
#include "api/page.hpp"
#include "api/quiet.hpp"
#include "api/readership.hpp"
#include "api/router.hpp"
#include "api/shared_answers.hpp"
#include "lib/decisions/decision.hpp"
#include "lib/decisions/stored.hpp"
#include "lib/store/views_grid.hpp"
#include "lib/store/views_summary.hpp"

namespace gleaner::api {
namespace {

namespace views = store::views;

constexpr std::int64_t kUsualCampaigns = 200;
/// Campaigns that ended are shown for so long.
constexpr grid::Seconds kRecent{24 * 3600};

struct Summary {
  views::Page<views::Campaign> campaigns;
  std::map<grid::CampaignId, views::Decision> reasons;
  std::map<grid::CampaignId, std::int64_t> open_events;
  std::vector<views::ClusterView> clusters;
  std::optional<views::Cycle> cycle;
  Quiet quiet;
};

/// In the planner's order.
std::vector<std::string> stage_names() {
  using enum decisions::Stage;
  std::vector<std::string> names;
  for (const auto stage : {feasible, prioritize, throttle, match, allocate, size, emit}) names.emplace_back(decisions::name_of(stage));
  return names;
}

Summary read_summary(const Call& call, const std::optional<views::Readers>& readers, const std::optional<std::string>& user,
                     views::Window part) {
  views::CampaignFilter filter;
  filter.readers = readers;
  filter.states = {grid::CampaignState::in_treatment, grid::CampaignState::paused};
  filter.unfixed = true;
  filter.ended_from = std::chrono::floor<grid::Seconds>(call.now) - kRecent;
  filter.user = user;
  return call.connections.read([&](store::Transaction& transaction) {
    Summary summary;
    summary.campaigns = views::campaigns(transaction, filter, part);
    std::vector<grid::CampaignId> ids;
    for (const auto& campaign : summary.campaigns.items) ids.push_back(campaign.id);
    summary.reasons = views::main_reasons(transaction, ids, stage_names(), call.now);
    summary.open_events = views::open_events(transaction, ids);
    summary.clusters = views::clusters(transaction, call.now);
    std::erase_if(summary.clusters, [](const auto& view) { return view.cluster.retired_at.has_value(); });
    summary.cycle = views::last_cycle(transaction);
    summary.quiet = quiet_of(call, transaction);
    return summary;
  });
}

void write_reason(text::JsonWriter& json, const Summary& summary, grid::CampaignId id) {
  json.key("reason");
  const auto found = summary.reasons.find(id);
  if (found == summary.reasons.end()) {
    json.null();
    return;
  }
  const auto& decision = found->second;
  const auto rendered = rendered_decision(decision);
  json.object([&] {
    json.field("cluster_name", decision.cluster ? std::optional{decision.cluster_name} : std::nullopt);
    json.field("stage", decision.stage);
    json.field("reason", decision.reason);
    json.field("sentence", rendered.sentence);
    json.field("advice", rendered.advice.empty() ? std::nullopt : std::optional{rendered.advice});
    json.field("since", decision.since);
  });
}

void write_summary_of(text::JsonWriter& json, const Summary& summary, const views::Campaign& campaign) {
  write_progress(json, campaign);
  json.field("submission_time", campaign.submitted_at);
  write_forecast(json, campaign.forecast);
  const auto events = summary.open_events.find(campaign.id);
  json.field("open_events", events == summary.open_events.end() ? std::int64_t{0} : events->second);
  write_reason(json, summary, campaign.id);
}

void write_summary_of(text::JsonWriter& json, const views::ClusterView& view, const process::Config& config) {
  const auto& cluster = view.cluster;
  write_availability(json, cluster);
  json.field("no_resources_since", cluster.no_resources_since);
  json.field("under_stress", view.stress.job_limit.has_value());
  json.field("stress_reason", view.stress.reason.empty() ? std::nullopt : std::optional{view.stress.reason});
  json.field("job_limit", view.stress.job_limit);
  json.key("brake");
  write_brake(json, view.brake);
  json.field("max_resources", cluster.max_resources);
  json.field("kept_resources", kept_resources(view, config));
  json.key("status");
  write_status(json, view.status);
}

/// All but the caller's name, which comes before it.
std::string written(const Summary& summary, const views::Window& part, const process::Config& config) {
  text::JsonWriter json;
  json.object([&] {
    json.field("last_cycle", summary.cycle ? std::optional{summary.cycle->started_at} : std::nullopt);
    json.field("standstill", summary.quiet.standstill);
    json.key("campaigns").array(summary.campaigns.items, [&](const auto& campaign) {
      json.object([&] { write_summary_of(json, summary, campaign); });
    });
    json.field("campaigns_total", summary.campaigns.total);
    json.field("offset", part.offset);
    json.field("limit", part.limit);
    json.key("clusters").array(summary.clusters, [&](const auto& view) { json.object([&] { write_summary_of(json, view, config); }); });
  });
  return json.text();
}

/// Callers with one question see the same: it names whose campaigns they may read.
std::string question_of(const std::optional<views::Readers>& readers, const std::optional<std::string>& user, views::Window part) {
  auto question = fmt::format("{} {} ", part.limit, part.offset);
  const auto add = [&](std::string_view word) { question += fmt::format("{}:{} ", word.size(), word); };
  add(user ? *user : "");
  question += user ? "one " : "all ";
  if (!readers) return question + "everybody";
  add(readers->user);
  for (const auto& project : readers->projects) add(project);
  return question;
}

http::Response show_summary(const Call& call) {
  const auto part = window(call, kUsualCampaigns);
  if (!part) return part.error();
  auto asked = call.request.parameter("user");
  if (asked == std::optional<std::string_view>{"me"}) asked = call.caller.user;
  const auto user = asked ? std::optional{std::string{*asked}} : std::nullopt;
  constexpr std::uint64_t kCampaign = 6000;  // bytes of memory for one campaign
  auto memory = take_memory(call, static_cast<std::uint64_t>(part->limit) * kCampaign);
  if (!memory) return memory.error();
  const auto readers = readers_of(call);
  const auto shared = call.summaries.answer(question_of(readers, user, *part), [&]() -> Asked<std::string> {
    auto summary = read_summary(call, readers, user, *part);
    for (auto& campaign : summary.campaigns.items) forget_forecast(campaign, summary.quiet);
    return written(summary, *part, call.config);
  });
  if (!shared) return shared.error();
  text::JsonWriter caller;
  caller.object([&] { caller.field("user", call.caller.user); });
  auto text = caller.text();
  text.back() = ',';
  return with_memory(answer(200, text + (*shared)->substr(1)), std::move(*memory));
}

}  // namespace

std::span<const Route> summary_routes() {
  static constexpr std::array kRoutes{
      Route{"GET", "/v1/summary", Access::identified, show_summary, "user limit offset"},
  };
  return kRoutes;
}

}  // namespace gleaner::api
