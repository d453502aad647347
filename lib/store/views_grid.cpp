#include "lib/store/views_grid.hpp"

#include <map>

#include "lib/store/detail.hpp"
#include "lib/store/views_detail.hpp"

namespace gleaner::store::views {
namespace {

using store::detail::exec;
using store::detail::Rows;

std::optional<GridStatus> read_status(const sql::views_clusters::Row& row) {
  if (!row.time.has_value()) return std::nullopt;
  GridStatus status;
  status.cluster = *row.id;
  status.time = *row.time;
  status.max_resources = *row.max_resources;
  status.free = *row.free;
  status.used = *row.used;
  status.used_besteffort = *row.used_besteffort;
  status.our_running = *row.our_running;
  status.our_waiting = *row.our_waiting;
  status.api_latency_ms = *row.api_latency_ms;
  return status;
}

Stress read_stress(const sql::views_clusters::Row& row) {
  Stress stress;
  stress.factor = row.stress;
  stress.usual_factor = row.usual_stress;
  stress.response_ms = row.response_ms;
  stress.calm_response_ms = row.calm_latency_ms;
  stress.job_limit = row.job_limit;
  if (row.signal.has_value()) stress.signal = *row.signal;
  stress.reason = row.stress_reason.value_or("");
  stress.since = row.limited_at;
  return stress;
}

template <class Query>
std::vector<Usage> read_usage(const Rows<Query>& rows) {
  std::vector<Usage> all;
  for (const auto& row : rows) {
    Usage usage;
    usage.time = *row.time;
    usage.cluster = *row.id;
    usage.name = *row.name;
    usage.max_resources = *row.max_resources;
    usage.free = *row.free;
    usage.used = *row.used;
    usage.ours = *row.our_running;
    all.push_back(std::move(usage));
  }
  return all;
}

EventView read_event(const auto& row) {
  EventView event;
  event.id = *row.id;
  event.code = *row.code;
  event.state = *row.state;
  event.campaign = row.campaign_id;
  event.cluster = row.cluster_id;
  event.cluster_name = row.cluster.value_or("");
  event.job = row.job_id;
  event.occurrences = *row.occurrences;
  event.opened_at = *row.opened_at;
  event.last_at = *row.last_at;
  event.closed_at = row.closed_at;
  event.message = *row.message;
  event.output = *row.output;
  event.user = row.user_name.value_or("");
  return event;
}

template <class Query, class Total>
Page<EventView> read_events(const Rows<Query>& rows, const Rows<Total>& total) {
  Page<EventView> page;
  for (const auto& row : rows) page.items.push_back(read_event(row));
  page.total = *total[0].events;
  return page;
}

std::string word(Which which) { return which == Which::open ? "open" : "all"; }

}  // namespace

std::vector<ClusterView> clusters(Transaction& transaction, grid::Instant now) {
  std::map<std::int64_t, ClusterView> known;
  for (const auto& row : exec(transaction, sql::views_clusters{.now = now}))
    known[row.id.as<std::int64_t>()] = {{}, read_status(row), detail::read_brake(row), read_stress(row), row.learnt_headroom.value_or(0)};
  std::vector<ClusterView> all;
  for (auto& cluster : store::clusters(transaction)) {
    auto view = std::move(known[cluster.id.value()]);
    view.cluster = std::move(cluster);
    all.push_back(std::move(view));
  }
  return all;
}

std::vector<Usage> usage_now(Transaction& transaction) { return read_usage(exec(transaction, sql::views_usage_now{})); }

std::vector<Usage> usage(Transaction& transaction, const Span& span) {
  return read_usage(exec(transaction, sql::views_usage{.slice_s = span.slice.count(), .from = span.from, .to = span.to}));
}

Page<EventView> campaign_events(Transaction& transaction, grid::CampaignId campaign, Which which, Window window) {
  return read_events(
      exec(transaction,
           sql::views_campaign_events{.campaign = campaign, .which = word(which), .limit = window.limit, .offset = window.offset}),
      exec(transaction, sql::views_campaign_events_total{.campaign = campaign, .which = word(which)}));
}

Page<EventView> user_events(Transaction& transaction, const std::string& user, Which which, Window window) {
  return read_events(
      exec(transaction, sql::views_user_events{.user = user, .which = word(which), .limit = window.limit, .offset = window.offset}),
      exec(transaction, sql::views_user_events_total{.user = user, .which = word(which)}));
}

Page<EventView> grid_events(Transaction& transaction, Which which, Window window) {
  return read_events(exec(transaction, sql::views_grid_events{.which = word(which), .limit = window.limit, .offset = window.offset}),
                     exec(transaction, sql::views_grid_events_total{.which = word(which)}));
}

std::optional<EventView> event(Transaction& transaction, std::int64_t id) {
  const auto rows = exec(transaction, sql::views_event{.event = id});
  if (rows.empty()) return std::nullopt;
  return read_event(rows[0]);
}

std::optional<Cycle> last_cycle(Transaction& transaction) {
  const auto rows = exec(transaction, sql::views_last_cycle{});
  if (rows.empty()) return std::nullopt;
  return Cycle{*rows[0].started_at, rows[0].ended_at};
}

std::vector<KeptCycle> cycles(Transaction& transaction, std::int64_t before, std::int64_t most) {
  std::vector<KeptCycle> cycles;
  for (const auto& row : exec(transaction, sql::views_cycles{.before = before, .most = most}))
    cycles.push_back({.id = *row.id, .term = *row.term, .cycle = {*row.started_at, row.ended_at}, .modules = row.modules});
  return cycles;
}

}  // namespace gleaner::store::views
