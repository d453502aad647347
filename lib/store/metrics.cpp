#include "lib/store/metrics.hpp"

#include <sstream>

#include "lib/store/detail.hpp"

namespace gleaner::store::metrics {
namespace {

using store::detail::exec;

Grid read_grid(Transaction& transaction) {
  const auto rows = exec(transaction, sql::metrics_grid{});
  const auto row = rows[0];
  Grid grid;
  grid.now = *row.now;
  grid.holder = row.holder.value_or("");
  grid.term = row.term.value_or(0);
  grid.is_held = *row.held;
  grid.expires_at = row.expires_at;
  grid.taken_at = row.taken_at;
  grid.schema = *row.schema_number;
  grid.bytes = *row.bytes;
  grid.cycle_began = row.cycle_began;
  if (row.cycle_ended.has_value()) grid.cycle = Cycle{*row.cycle_ended, *row.cycle_seconds};
  grid.in_treatment = *row.in_treatment;
  grid.paused = *row.paused;
  grid.waiting = *row.waiting;
  grid.launching = *row.launching;
  grid.submitted = *row.submitted;
  grid.running = *row.running;
  grid.done = *row.done;
  grid.failed = *row.failed;
  grid.cancelled = *row.cancelled;
  return grid;
}

std::optional<Resources> read_resources(const sql::metrics_clusters::Row& row) {
  if (!row.time.has_value()) return std::nullopt;
  Resources resources;
  resources.time = *row.time;
  resources.alive = *row.max_resources;
  resources.free = *row.free;
  resources.used = *row.used;
  resources.ours = *row.our_running;
  resources.waiting = *row.our_waiting;
  resources.stress = row.stress;
  return resources;
}

std::vector<Cluster> read_clusters(Transaction& transaction) {
  std::vector<Cluster> clusters;
  for (const auto& row : exec(transaction, sql::metrics_clusters{})) {
    Cluster cluster;
    cluster.name = *row.name;
    cluster.is_enabled = *row.enabled;
    cluster.is_reachable = row.reachable;
    cluster.unreachable_since = row.unreachable_since;
    cluster.down = *row.down;
    cluster.resources = read_resources(row);
    cluster.launching = *row.launching;
    cluster.waiting = *row.waiting;
    cluster.running = *row.running;
    cluster.unknown = *row.unknown;
    cluster.unknown_launches = *row.unknown_launches;
    cluster.unknown_since = row.unknown_since;
    const std::int64_t brakes = *row.brakes;
    cluster.is_braked = brakes > 0;
    clusters.push_back(std::move(cluster));
  }
  return clusters;
}

std::vector<std::int64_t> read_buckets(const std::optional<std::string>& text) {
  std::vector<std::int64_t> buckets;
  std::istringstream words{text.value_or("")};
  for (std::int64_t number = 0; words >> number;) buckets.push_back(number);
  return buckets;
}

std::vector<Total> read_totals(Transaction& transaction) {
  std::vector<Total> totals;
  for (const auto& row : exec(transaction, sql::metrics_totals{})) {
    Total total;
    total.kind = *row.kind;
    total.cluster = row.cluster.value_or("");
    total.name = *row.name;
    total.result = *row.result;
    total.times = *row.times;
    total.amount = *row.amount;
    total.buckets = read_buckets(row.buckets);
    total.last_at = row.last_at;
    totals.push_back(std::move(total));
  }
  return totals;
}

}  // namespace

Figures figures(Transaction& transaction) {
  Figures figures;
  figures.grid = read_grid(transaction);
  figures.clusters = read_clusters(transaction);
  for (const auto& row : exec(transaction, sql::metrics_events{})) figures.events.push_back({*row.code, *row.events});
  for (const auto& row : exec(transaction, sql::metrics_brakes{})) figures.brakes.push_back({*row.target, *row.by_hand, *row.brakes});
  figures.totals = read_totals(transaction);
  return figures;
}

}  // namespace gleaner::store::metrics
