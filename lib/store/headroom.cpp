#include "lib/store/headroom.hpp"

#include "lib/store/detail.hpp"

namespace gleaner::store {
namespace {

using detail::exec_prepared;

/// A text that cannot be read is none: the demand is learnt anew.
grid::LocalDemand demand_of(double seconds, const std::string& arrivals) {
  return grid::local_demand(seconds, arrivals).value_or(grid::LocalDemand{});
}

}  // namespace

WatchedCluster watched_cluster(Transaction& transaction, grid::ClusterId cluster, int hour) {
  const auto rows = exec_prepared(transaction, sql::headroom_watch{.cluster = cluster, .hour = hour});
  const auto row = rows[0];
  WatchedCluster watched;
  watched.watch = {.polled_at = row.polled_at, .last_start = row.last_start};
  watched.demand = demand_of(*row.seconds, *row.arrivals);
  return watched;
}

void note_poll(Transaction& transaction, grid::ClusterId cluster, const grid::LocalWatch& watch) {
  exec_prepared(transaction, sql::headroom_note_poll{.cluster = cluster, .polled_at = watch.polled_at, .last_start = watch.last_start});
}

void note_demand(Transaction& transaction, grid::ClusterId cluster, int hour, const grid::LocalDemand& demand) {
  exec_prepared(transaction,
                sql::headroom_note_demand{.cluster = cluster, .hour = hour, .seconds = demand.seconds, .arrivals = demand.text()});
}

std::map<grid::ClusterId, LocalFacts> local_facts(Transaction& transaction, const grid::Headroom& configured) {
  std::map<grid::ClusterId, LocalFacts> clusters;
  for (const auto& row : exec_prepared(transaction, sql::headroom_demands{.headroom = configured.text()})) {
    auto& cluster = clusters[row.cluster_id.as<grid::ClusterId>()];
    cluster.kept_resources = row.resources.value_or(0);
    cluster.demand.at(static_cast<std::size_t>(row.hour.as<int>())) = demand_of(*row.seconds, *row.arrivals);
  }
  return clusters;
}

void learn_headroom(Transaction& transaction, grid::ClusterId cluster, int resources) {
  exec_prepared(transaction, sql::headroom_learn{.cluster = cluster, .resources = resources});
}

}  // namespace gleaner::store
