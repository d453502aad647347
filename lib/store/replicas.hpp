#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "lib/grid/id.hpp"
#include "lib/grid/policy_facts.hpp"
#include "lib/grid/time.hpp"
#include "lib/store/database.hpp"

/// Second copies of running tasks. The first success counts, and the other copy is killed; a copy that
/// ends otherwise changes nothing for its task while the other one lives.
namespace gleaner::store {

struct PlannedReplicas {
  grid::CampaignId campaign{0};
  grid::ClusterId cluster{0};  ///< where the copies go; the tasks' jobs run elsewhere
  int jobs = 0;
  std::optional<double> longer_than;  ///< seconds that the tasks must have run at least; nothing: any
};
/// Writes a launch of second copies, of tasks that never had one, the longest running first. Where tasks
/// ask for different resources, there are several launches. The number of jobs, fewer when fewer tasks run.
int plan_replicas(Transaction& transaction, const PlannedReplicas& replicas, Term term, grid::Instant now);

/// For active campaigns that allow replicas. Cost: O(their running jobs).
/// @param share  of the jobs done, whose duration is not too long, in (0, 1]
/// @param least  jobs done without which nothing is too long
[[nodiscard]] std::vector<grid::Replicable> replicable_tasks(Transaction& transaction, double share, int least, grid::Instant now);

}  // namespace gleaner::store
