#pragma once
#include <cstdint>
#include <optional>

#include "metascheduler/planner/snapshot.hpp"

/// The memory that tasks were measured to take, against that of nodes. It is evidence, not a request: it orders clusters, and forbids none.
namespace gleaner::planner {

/// Measured tasks of a campaign on a cluster before they count (gridstat has as many before it reports them).
constexpr std::int64_t kEnoughMeasured = 5;

/// The memory that the cluster has for a job, against the most that was measured, in MB.
struct MemoryFigures {
  MemoryFit fit = MemoryFit::fits;
  std::int64_t taken = 0;  ///< by the greatest task
  std::int64_t share = 0;  ///< the least that goes with the cores of a job on a node
  std::int64_t most = 0;   ///< of the node that has most
};

[[nodiscard]] MemoryFigures memory_figures(const PairView& pair, const ClusterView& cluster);

/// Sets what is known of memory: `measured_mb` and `memory_fit` of the pairs, and what our running jobs take of each cluster.
void know_memory(Snapshot& snapshot);

}  // namespace gleaner::planner
