#include "lib/store/views_grid.hpp"

#include <map>

#include "lib/store/detail.hpp"
#include "lib/store/views_detail.hpp"

namespace gleaner::store::views {
namespace {

using store::detail::exec;
using store::detail::get;
using store::detail::get_instant;
using store::detail::instant;
using store::detail::text;

std::optional<GridStatus> read_status(const pqxx::row& row) {
  const auto time = get_instant(row["time"]);
  if (!time) return std::nullopt;
  GridStatus status;
  status.cluster = grid::ClusterId{row["id"].as<std::int64_t>()};
  status.time = *time;
  status.max_resources = row["max_resources"].as<int>();
  status.free = row["free"].as<int>();
  status.used = row["used"].as<int>();
  status.used_besteffort = row["used_besteffort"].as<int>();
  status.our_running = row["our_running"].as<int>();
  status.our_waiting = row["our_waiting"].as<int>();
  status.api_latency_ms = row["api_latency_ms"].as<int>();
  return status;
}

Stress read_stress(const pqxx::row& row) {
  Stress stress;
  stress.factor = get<double>(row["stress"]);
  stress.usual_factor = get<double>(row["usual_stress"]);
  stress.response_ms = get<int>(row["response_ms"]);
  stress.calm_response_ms = get<double>(row["calm_latency_ms"]);
  stress.job_limit = get<int>(row["job_limit"]);
  if (!row["signal"].is_null()) stress.signal = text(row["signal"]);
  stress.reason = text(row["stress_reason"]);
  stress.since = get_instant(row["limited_at"]);
  return stress;
}

std::vector<Usage> read_usage(const pqxx::result& rows) {
  std::vector<Usage> all;
  for (const auto& row : rows) {
    Usage usage;
    usage.time = instant(row["time"].as<std::int64_t>());
    usage.cluster = grid::ClusterId{row["id"].as<std::int64_t>()};
    usage.name = text(row["name"]);
    usage.max_resources = row["max_resources"].as<int>();
    usage.free = row["free"].as<int>();
    usage.used = row["used"].as<int>();
    usage.ours = row["our_running"].as<int>();
    all.push_back(std::move(usage));
  }
  return all;
}

EventView read_event(const pqxx::row& row) {
  EventView event;
  event.id = row["id"].as<std::int64_t>();
  event.code = text(row["code"]);
  event.state = text(row["state"]);
  event.campaign = get<std::int64_t>(row["campaign_id"]);
  event.cluster = get<std::int64_t>(row["cluster_id"]);
  event.cluster_name = text(row["cluster"]);
  event.job = get<std::int64_t>(row["job_id"]);
  event.occurrences = row["occurrences"].as<std::int64_t>();
  event.opened_at = instant(row["opened_at"].as<std::int64_t>());
  event.last_at = instant(row["last_at"].as<std::int64_t>());
  event.closed_at = get_instant(row["closed_at"]);
  event.message = text(row["message"]);
  return event;
}

Page<EventView> read_events(const pqxx::result& rows, const pqxx::result& total) {
  Page<EventView> page;
  for (const auto& row : rows) page.items.push_back(read_event(row));
  page.total = total[0][0].as<std::int64_t>();
  return page;
}

std::string word(Which which) { return which == Which::open ? "open" : "all"; }

}  // namespace

std::vector<ClusterView> clusters(Transaction& transaction, grid::Instant now) {
  std::map<std::int64_t, ClusterView> known;
  for (const auto& row : exec(transaction, sql::views_clusters{.now = now}))
    known[row["id"].as<std::int64_t>()] = {{}, read_status(row), detail::read_brake(row), read_stress(row)};
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
  return Cycle{instant(rows[0]["started_at"].as<std::int64_t>()), get_instant(rows[0]["ended_at"])};
}

}  // namespace gleaner::store::views
