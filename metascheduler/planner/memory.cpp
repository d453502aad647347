#include "metascheduler/planner/memory.hpp"

#include <algorithm>
#include <map>

#include "lib/grid/dust.hpp"
#include "metascheduler/planner/room.hpp"

namespace gleaner::planner {
namespace {

/// Cores of a job on one node; 0: the whole node. Cores that may be anywhere count as on one.
int cores_on_node(const PairView& pair) {
  if (!pair.resources_per_job) return pair.nodes_per_job ? 0 : 1;
  return std::max(1, *pair.resources_per_job / std::max(1, pair.nodes_per_job.value_or(1)));
}

void know_measured(Snapshot& snapshot) {
  struct Known {
    std::int64_t most = 0;
    bool requests = false;
  };
  std::map<grid::CampaignId, Known> campaigns;
  for (const auto& pair : snapshot.pairs) {
    if (pair.memory_mb) campaigns[pair.campaign].requests = true;
    if (pair.memory_jobs < kEnoughMeasured || pair.peak_memory_mb.value_or(0) <= 0) continue;
    auto& known = campaigns[pair.campaign];
    known.most = std::max<std::int64_t>(known.most, *pair.peak_memory_mb);
  }
  if (campaigns.empty()) return;
  for (auto& pair : snapshot.pairs) {
    const auto found = campaigns.find(pair.campaign);
    if (found != campaigns.end() && !found->second.requests && found->second.most > 0) pair.measured_mb = found->second.most;
  }
}

/// On which nodes our jobs run is not known. So each core that is held may be one of those that take most.
void know_held(Snapshot& snapshot) {
  std::map<grid::ClusterId, ClusterView*> clusters;
  for (auto& cluster : snapshot.clusters) {
    if (cluster.memory.known()) clusters.emplace(cluster.id, &cluster);
  }
  if (clusters.empty()) return;
  std::map<grid::ClusterId, double> known;
  for (const auto& pair : snapshot.pairs) {
    const auto found = clusters.find(pair.cluster);
    if (found == clusters.end() || pair.running <= 0 || !pair.taken_mb()) continue;
    auto& cluster = *found->second;
    const int cores = cores_on_node(pair);
    if (cores == 0) continue;  // nothing is left of its nodes
    cluster.held_core_mb = std::max(cluster.held_core_mb, static_cast<double>(*pair.taken_mb()) / cores);
    known[cluster.id] += pair.running * width_of(pair, cluster).resources;
  }
  for (const auto& [id, resources] : known) {
    auto& cluster = *clusters.at(id);
    const double held = cluster.max_resources - (cluster.free_resources + cluster.withheld_resources);
    cluster.held_is_known = resources + grid::kDust >= held;
  }
}

}  // namespace

MemoryFigures memory_figures(const PairView& pair, const ClusterView& cluster) {
  const auto share = pair.measured_mb ? cluster.memory.share_of(cores_on_node(pair)) : std::nullopt;
  if (!share) return {};
  const auto most = cluster.memory.most();
  const auto fit = most && *most < *pair.measured_mb ? MemoryFit::exceeds
                   : *share < *pair.measured_mb      ? MemoryFit::crowds
                                                     : MemoryFit::fits;
  return {.fit = fit, .taken = *pair.measured_mb, .share = *share, .most = most.value_or(0)};
}

void know_memory(Snapshot& snapshot) {
  know_measured(snapshot);
  know_held(snapshot);
  std::map<grid::ClusterId, const ClusterView*> clusters;
  for (const auto& cluster : snapshot.clusters) clusters.emplace(cluster.id, &cluster);
  for (auto& pair : snapshot.pairs) {
    if (pair.measured_mb) pair.memory_fit = memory_figures(pair, *clusters.at(pair.cluster)).fit;
  }
}

}  // namespace gleaner::planner
