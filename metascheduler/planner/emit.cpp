#include "metascheduler/planner/stages.hpp"

#include <algorithm>

#include "metascheduler/planner/instances.hpp"
#include "metascheduler/planner/room.hpp"

namespace gleaner::planner {
namespace {

/// The nodes that best-effort jobs of a pair leave empty, all jobs of the plan considered. None, if the others can never hold a job, or if
/// the jobs' own properties choose among the nodes: only those that would be left may have them. A request of memory does, where nodes have
/// different memory.
std::string leaves_of(const PairView& pair, std::size_t cluster, const Draft& draft) {
  const auto& view = draft.snapshot.clusters[cluster];
  if (!view.names_nodes || !pair.best_effort || pair.has_properties) return {};
  if (pair.memory_mb && !view.memory.is_uniform()) return {};
  const auto left = draft.ledger.left_empty(cluster);
  if (!left.known()) return {};
  const auto others = others_than(left, view);
  const int nodes = pair.nodes_per_job.value_or(1);
  const double width = width_of(pair, view).resources;
  const int of_each = pair.nodes_per_job ? static_cast<int>(std::max(1.0, width / nodes)) : 1;
  const bool can_hold = others.nodes_with(of_each) >= nodes && others.resources() >= width;
  return can_hold && names_fit(left, view) ? left.text() : std::string{};
}

}  // namespace

int array_size_of(const Candidate& candidate) {
  return std::max(1, std::min(candidate.cluster->array_size, candidate.pair->array_most.value_or(kNoLimit)));
}

void emit(Draft& draft) {
  for (const auto* candidate : draft.served) {
    const int array_size = array_size_of(*candidate);
    int returned = candidate->returned;
    int pooled = candidate->pooled;
    for (int left = candidate->jobs; left > 0; left -= array_size) {
      const int jobs = std::min(left, array_size);
      const int first = std::min(returned, jobs);
      returned -= first;
      const int share = static_cast<int>(std::int64_t{pooled} * jobs / left);
      pooled -= share;
      draft.plan.launches.push_back({.campaign = candidate->pair->campaign,
                                     .cluster = candidate->cluster->id,
                                     .jobs = jobs,
                                     .resources = candidate->resources * jobs / candidate->jobs,
                                     .returned = first,
                                     .pooled = share,
                                     .leaves = leaves_of(*candidate->pair, candidate->cluster_index, draft)});
    }
  }
  for (auto& replicas : draft.plan.replicas) {
    const auto pair = std::ranges::find_if(
        draft.snapshot.pairs, [&](const PairView& one) { return one.campaign == replicas.campaign && one.cluster == replicas.cluster; });
    const auto cluster = std::ranges::find(draft.snapshot.clusters, replicas.cluster, &ClusterView::id);
    replicas.leaves = leaves_of(*pair, static_cast<std::size_t>(cluster - draft.snapshot.clusters.begin()), draft);
  }
}

}  // namespace gleaner::planner
