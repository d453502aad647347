// Routes that read campaigns.
#include <array>
#include <limits>
#include <map>
#include <stdexcept>

#include <fmt/format.h>

#include "api/campaign_answers.hpp"
#include "api/campaign_json.hpp"
#include "api/limits.hpp"
#include "api/page.hpp"
#include "api/quiet.hpp"
#include "api/readership.hpp"
#include "api/router.hpp"
#include "lib/decisions/stored.hpp"
#include "lib/grid/durations.hpp"
#include "lib/jdl/campaign_file.hpp"
#include "lib/store/cannot_end.hpp"
#include "lib/store/changes.hpp"
#include "lib/store/views.hpp"
#include "lib/text/suggest.hpp"

namespace gleaner::api {
namespace {

namespace views = store::views;

constexpr std::array<std::string_view, 4> kCampaignStates{"in_treatment", "paused", "terminated", "cancelled"};

Asked<std::vector<grid::CampaignState>> asked_states(const Call& call) {
  std::vector<grid::CampaignState> states;
  for (const auto& name : list(call, "state")) {
    const auto state = grid::campaign_state(name);
    if (!state)
      return tl::unexpected{
          error(Code::bad_value, fmt::format("state={}: no such state{}", jdl::excerpt(name), text::did_you_mean(name, kCampaignStates)))};
    states.push_back(*state);
  }
  return states;
}

Asked<std::optional<std::vector<std::int64_t>>> asked_ids(const Call& call) {
  if (!call.request.parameter("ids")) return std::optional<std::vector<std::int64_t>>{};
  std::vector<std::int64_t> ids;
  for (const auto& part : list(call, "ids")) {
    const auto id = id_of(part);
    if (!id)
      return tl::unexpected{error(Code::bad_value, fmt::format("ids={}: numbers with commas between them are needed", jdl::excerpt(part)))};
    ids.push_back(*id);
  }
  return std::optional{std::move(ids)};
}

Asked<views::CampaignFilter> asked_campaigns(const Call& call) {
  views::CampaignFilter filter;
  auto ids = asked_ids(call);
  if (!ids) return tl::unexpected{ids.error()};
  filter.ids = std::move(*ids);
  if (auto states = asked_states(call); !states) {
    return tl::unexpected{states.error()};
  } else {
    filter.states = std::move(*states);
  }
  if (filter.states.empty() && !filter.ids && !flag(call, "all")) {
    filter.states = {grid::CampaignState::in_treatment, grid::CampaignState::paused};
    filter.unfixed = true;
  }
  if (const auto user = call.request.parameter("user")) filter.user = std::string{*user};
  const auto from = instant(call, "from");
  if (!from) return tl::unexpected{from.error()};
  const auto to = instant(call, "to");
  if (!to) return tl::unexpected{to.error()};
  filter.submitted_from = *from;
  filter.submitted_before = *to;
  return filter;
}

http::Response list_campaigns(const Call& call) {
  auto filter = asked_campaigns(call);
  if (!filter) return filter.error();
  const auto part = window(call);
  if (!part) return part.error();
  constexpr std::uint64_t kCampaign = 6000;  // bytes of memory for one campaign
  auto memory = take_memory(call, static_cast<std::uint64_t>(part->limit) * kCampaign);
  if (!memory) return memory.error();
  Quiet quiet;
  auto page = call.connections.read([&](store::Transaction& transaction) {
    quiet = quiet_of(call, transaction);
    filter->readers = readership_of(call, transaction).restriction();
    return views::campaigns(transaction, *filter, *part);
  });
  for (auto& campaign : page.items) forget_forecast(campaign, quiet);
  text::JsonWriter json;
  json.object([&] {
    json.key("items").array(page.items, [&](const auto& campaign) { json.object([&] { write_campaign(json, campaign); }); });
    json.field("standstill", quiet.standstill);
    write_page_end(json, call, {.window = *part, .shown = std::ssize(page.items), .total = page.total, .parent = "/"});
  });
  return with_memory(answer(json), std::move(*memory));
}

struct Detail {
  views::Campaign campaign;
  std::vector<views::CampaignCluster> clusters;
  std::optional<views::Brake> brake;
  std::vector<store::RecordedChange> changes;
  std::optional<grid::Instant> standstill;
};

constexpr int kChanges = 20;  // the last ones

std::optional<Detail> load_detail(const Call& call) {
  const auto id = id_of(call.parts[0]);
  if (!id) return std::nullopt;
  return call.connections.read([&](store::Transaction& transaction) -> std::optional<Detail> {
    auto campaign = views::campaign(transaction, grid::CampaignId{*id});
    if (!campaign) return std::nullopt;
    const auto quiet = quiet_of(call, transaction);
    forget_forecast(*campaign, quiet);
    return Detail{*campaign, views::campaign_clusters(transaction, campaign->id, call.now),
                  views::campaign_brake(transaction, campaign->id, call.now), store::recorded_changes(transaction, campaign->id, kChanges),
                  quiet.standstill};
  });
}

void write_change(text::JsonWriter& json, const store::RecordedChange& change) {
  json.object([&] {
    json.field("time", change.at);
    json.field("user", change.author);
    json.key("edits").raw(change.edits);
    json.field("first_task", change.tasks ? std::optional{change.tasks->first} : std::nullopt);
    json.field("tasks", change.tasks ? change.tasks->count : std::int64_t{0});
  });
}

}  // namespace

http::Response show_campaign(const Call& call) {
  const auto detail = load_detail(call);
  if (!detail) return no_campaign(call);
  text::JsonWriter json;
  json.object([&] {
    write_campaign(json, detail->campaign);
    json.key("brake");
    write_brake(json, detail->brake);
    json.key("clusters").object([&] {
      for (const auto& cluster : detail->clusters) {
        json.key(fmt::format("{}", cluster.cluster.value())).object([&] { write_campaign_cluster(json, cluster); });
      }
    });
    json.key("changes").array(detail->changes, [&](const auto& change) { write_change(json, change); });
    json.field("standstill", detail->standstill);
  });
  return answer(json);
}

namespace {

struct Totals {
  grid::Durations durations;
  std::int64_t ended = 0;      ///< jobs that carried out an attempt of a task
  std::int64_t concluded = 0;  ///< jobs after which their task does not run again
  double throughput = 0;
};

Totals totals_of(const std::vector<views::CampaignCluster>& clusters) {
  Totals totals;
  for (const auto& cluster : clusters) {
    totals.durations.add({cluster.done, cluster.duration_sum, cluster.duration_squares});
    totals.ended += cluster.ended;
    totals.concluded += cluster.concluded;
    totals.throughput += cluster.throughput.value_or(0);
  }
  return totals;
}

double ratio(std::int64_t part, std::int64_t whole) {
  return whole > 0 ? static_cast<double>(std::max<std::int64_t>(part, 0)) / static_cast<double>(whole) : 0;
}

/// The campaign's gain by temporal_grouping, where its JDL leaves that to the configuration, and this only advises.
std::optional<grid::GroupingGain> gain_of(const Call& call, const Detail& detail, std::int64_t remaining) {
  const auto& campaign = detail.campaign;
  if (campaign.grouping != grid::Grouping::advise || campaign.state != grid::CampaignState::in_treatment || !campaign.forecast.end)
    return std::nullopt;
  grid::StartCosts costs;
  for (const auto& cluster : detail.clusters) {
    costs.jobs += cluster.start_costs.jobs;
    costs.command_seconds += cluster.start_costs.command_seconds;
    costs.held_seconds += cluster.start_costs.held_seconds;
  }
  const double end = std::chrono::duration<double>{*campaign.forecast.end - call.now}.count();
  return grid::gain_of_grouping(costs, {.tasks = remaining, .seconds = end},
                                std::chrono::duration<double>{call.config.pool_duration}.count());
}

void write_gain(text::JsonWriter& json, const std::optional<grid::GroupingGain>& gain) {
  if (!gain) {
    json.null();
    return;
  }
  json.object([&] {
    json.field("task_seconds", gain->task);
    json.field("job_seconds", gain->job);
    json.field("end_seconds", gain->end);
    json.field("grouped_end_seconds", gain->grouped);
  });
}

/// An ended campaign's usage, beside the resources that it requested and held.
std::optional<views::Efficiency> efficiency_of(const Call& call, const views::Campaign& campaign) {
  if (!campaign.ended_at) return std::nullopt;
  return call.connections.read([&](store::Transaction& transaction) { return views::efficiency(transaction, campaign.id); });
}

void write_efficiency(text::JsonWriter& json, const std::optional<views::Efficiency>& efficiency) {
  if (!efficiency) {
    json.null();
    return;
  }
  json.object([&] {
    json.field("walltime_asked", efficiency->asked);
    json.field("walltime_used", efficiency->used);
    json.field("resource_seconds_held", efficiency->held);
    json.field("resource_seconds_used", efficiency->worked);
  });
}

http::Response show_stats(const Call& call) {
  const auto detail = load_detail(call);
  if (!detail) return no_campaign(call);
  const auto& campaign = detail->campaign;
  const auto efficiency = efficiency_of(call, campaign);
  const auto needs = call.connections.read([&](store::Transaction& transaction) { return views::needs(transaction, campaign.id); });
  const auto totals = totals_of(detail->clusters);
  // CiGri's clients divide by this number.
  constexpr double kLeastThroughput = 1e-16;
  const auto throughput = std::max(totals.throughput, kLeastThroughput);
  const auto& tasks = campaign.tasks;
  const auto remaining = campaign.total - tasks.done - tasks.failed - tasks.cancelled;
  const auto ended = std::max(totals.ended, totals.concluded);
  text::JsonWriter json;
  json.object([&] {
    json.field("average_jobs_duration", totals.durations.mean());
    json.field("stddev_jobs_duration", totals.durations.deviation());
    json.field("jobs_throughput", throughput);
    json.field("remaining_time", static_cast<double>(remaining) / throughput);
    json.field("failures_rate", ratio(tasks.failed, tasks.failed + tasks.done));
    json.field("resubmit_rate", ratio(ended - totals.concluded, ended));
    json.field("ended_jobs", ended);
    json.field("remaining_tasks", remaining);
    write_forecast(json, campaign.forecast);
    json.key("grouping_gain");
    write_gain(json, gain_of(call, *detail, remaining));
    json.key("efficiency");
    write_efficiency(json, efficiency);
    json.key("needs").array(needs, [&](const views::Need& need) {
      json.object([&] {
        json.field("consumable", need.consumable);
        json.field("each", need.each);
        json.field("used", need.used);
        json.field("most", need.most);
      });
    });
    json.field("elapsed_time", std::chrono::floor<grid::Seconds>(campaign.ended_at.value_or(call.now) - campaign.submitted_at));
  });
  return answer(json);
}

}  // namespace

http::Response show_jdl(const Call& call) {
  const auto id = id_of(call.parts[0]);
  if (!id) return no_campaign(call);
  auto jdl = call.connections.read([&](store::Transaction& transaction) { return views::jdl(transaction, grid::CampaignId{*id}); });
  if (!jdl) return no_campaign(call);
  const auto file = jdl::from_json(*jdl);
  if (!file) throw std::runtime_error{fmt::format("campaign {}: {}", *id, file.error())};
  return answer(200, jdl::to_campaign_text(*file));
}

namespace {

http::Response list_decisions(const Call& call) {
  const auto id = id_of(call.parts[0]);
  if (!id) return no_campaign(call);
  const auto part = window(call);
  if (!part) return part.error();
  Quiet quiet;
  store::Stuck stuck;
  const auto found = call.connections.read([&](store::Transaction& transaction) -> std::optional<std::vector<views::Decision>> {
    if (!views::campaign(transaction, grid::CampaignId{*id})) return std::nullopt;
    quiet = quiet_of(call, transaction);
    stuck = store::cannot_end(transaction, grid::CampaignId{*id});
    return views::decisions(transaction, grid::CampaignId{*id}, call.now);
  });
  if (!found) return no_campaign(call);
  const auto page = page_of(*found, *part);
  text::JsonWriter json;
  json.object([&] {
    json.key("items").array(page, [&](const views::Decision& decision) {
      json.object([&] {
        json.field("cluster_id", decision.cluster);
        json.field("cluster_name", decision.cluster ? std::optional{decision.cluster_name} : std::nullopt);
        json.field("stage", decision.stage);
        json.field("reason", decision.reason);
        const auto rendered = rendered_decision(decision);
        json.key("figures").raw(rendered.figures);
        json.field("sentence", rendered.sentence);
        json.field("advice", rendered.advice.empty() ? std::nullopt : std::optional{rendered.advice});
        json.field("jobs", decision.jobs);
        json.field("since", decision.since);
      });
    });
    json.field("cannot_end", stuck.why.empty() ? std::nullopt : std::optional{stuck.why});
    json.field("cannot_end_may_pass", stuck.why.empty() ? std::nullopt : std::optional{stuck.may_pass});
    json.field("old_since", quiet.lapses.unplanned);
    json.field("standstill", quiet.standstill);
    write_page_end(
        json, call,
        {.window = *part, .shown = std::ssize(page), .total = std::ssize(*found), .parent = campaign_path(grid::CampaignId{*id})});
  });
  return answer(json);
}

http::Response list_forecasts(const Call& call) {
  const auto id = id_of(call.parts[0]);
  if (!id) return no_campaign(call);
  const auto part = window(call);
  if (!part) return part.error();
  const auto history = call.connections.read([&](store::Transaction& transaction) -> std::optional<std::vector<store::KeptForecast>> {
    if (!views::campaign(transaction, grid::CampaignId{*id})) return std::nullopt;
    return store::forecast_history(transaction, grid::CampaignId{*id});
  });
  if (!history) return no_campaign(call);
  const auto page = page_of(*history, *part);
  text::JsonWriter json;
  json.object([&] {
    json.key("items").array(page, [&](const store::KeptForecast& forecast) { json.object([&] { write_kept_forecast(json, forecast); }); });
    write_page_end(
        json, call,
        {.window = *part, .shown = std::ssize(page), .total = std::ssize(*history), .parent = campaign_path(grid::CampaignId{*id})});
  });
  return answer(json);
}

}  // namespace

std::span<const Route> campaign_routes() {
  static constexpr std::array kRoutes{
      Route{"GET", "/v1/campaigns", Access::identified, list_campaigns, "state... user all ids... from to limit offset"},
      Route{"GET", "/v1/campaigns/:id", Access::identified, show_campaign},
      Route{"GET", "/v1/campaigns/:id/stats", Access::identified, show_stats, {}, Etag::none},
      Route{"GET", "/v1/campaigns/:id/jdl", Access::identified, show_jdl},
      Route{"GET", "/v1/campaigns/:id/decisions", Access::identified, list_decisions, "limit offset"},
      Route{"GET", "/v1/campaigns/:id/forecasts", Access::identified, list_forecasts, "limit offset"},
  };
  return kRoutes;
}

}  // namespace gleaner::api
