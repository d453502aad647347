#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "lib/grid/id.hpp"
#include "lib/grid/policy_facts.hpp"
#include "lib/grid/time.hpp"
#include "lib/store/database.hpp"

/// Replicas of running tasks. The first success counts, and the other copy is killed; a copy that ends otherwise changes nothing for its
/// task while the other one lives.
namespace gleaner::store {

struct PlannedReplicas {
  grid::CampaignId campaign{0};
  grid::ClusterId cluster{0};  ///< of the replicas
  int jobs = 0;
  std::optional<double> longer_than;  ///< least time that the tasks have run, in seconds; empty: any
  bool beside = false;                ///< the tasks' own jobs run there too, and the replicas go to other nodes; false: they run elsewhere
  std::string leaves = {};            ///< nodes that the replicas leave empty (the text of grid::NodeSizes); empty: none
};
/// Writes a launch of replicas for tasks that never had one, the longest running first. If tasks have different requests, there are several
/// launches; beside the tasks' own jobs, each replica has its own, as it avoids the nodes of one job. Returns the number of jobs, which is
/// smaller if fewer tasks run.
int plan_replicas(Transaction& transaction, const PlannedReplicas& replicas, Term term, grid::Instant now);

/// For active campaigns that allow replicas. Cost: O(their running jobs).
/// @param share  the quantile of the durations of done jobs beyond which a task is expired, in (0, 1]
/// @param least  done jobs without which no task is expired
[[nodiscard]] std::vector<grid::Replicable> replicable_tasks(Transaction& transaction, double share, int least, grid::Instant now);

}  // namespace gleaner::store
