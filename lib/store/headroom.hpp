#pragma once
#include <array>
#include <map>

#include "lib/grid/headroom.hpp"
#include "lib/grid/id.hpp"
#include "lib/grid/local_demand.hpp"
#include "lib/store/database.hpp"

/// Resources that stay free for local jobs, where the headroom is `auto`: what is observed, and what is learnt.
namespace gleaner::store {

/// The last watched poll of a cluster, and the demand of one hour of the day.
struct WatchedCluster {
  grid::LocalWatch watch;
  grid::LocalDemand demand;
};
[[nodiscard]] WatchedCluster watched_cluster(Transaction& transaction, grid::ClusterId cluster, int hour);
void note_poll(Transaction& transaction, grid::ClusterId cluster, const grid::LocalWatch& watch);
void note_demand(Transaction& transaction, grid::ClusterId cluster, int hour, const grid::LocalDemand& demand);

/// The demand of each hour of the day.
using DailyDemand = std::array<grid::LocalDemand, grid::kHoursOfDay>;
/// Observations of a cluster, and the resources that it keeps free by them until now.
struct LocalFacts {
  DailyDemand demand;
  int kept_resources = 0;
};
/// The facts for clusters whose headroom is `auto`, where any was watched. `configured`: of clusters without a headroom of their own.
[[nodiscard]] std::map<grid::ClusterId, LocalFacts> local_facts(Transaction& transaction, const grid::Headroom& configured);
void learn_headroom(Transaction& transaction, grid::ClusterId cluster, int resources);

}  // namespace gleaner::store
