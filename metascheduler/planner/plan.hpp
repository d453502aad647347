#pragma once
#include <string>
#include <vector>

#include "lib/grid/id.hpp"
#include "lib/grid/time.hpp"
#include "metascheduler/planner/config.hpp"
#include "metascheduler/planner/decision.hpp"
#include "metascheduler/planner/snapshot.hpp"

namespace gleaner::planner {

/// One submission to make: one array of jobs of one campaign on one cluster.
struct Launch {
  grid::CampaignId campaign;
  grid::ClusterId cluster;
  int jobs = 0;
  double resources = 0.0;  ///< that the plan counts for it
  int returned = 0;        ///< of the jobs, those for tasks that void launches on this cluster gave back
  bool operator==(const Launch&) const = default;
};

/// Running jobs to kill, the youngest first, so that campaigns of higher priority get their
/// resources; those that wait in the queue there go with them, or they would take what is freed.
struct Preemption {
  grid::CampaignId campaign;
  grid::ClusterId cluster;
  int jobs = 0;
  bool operator==(const Preemption&) const = default;
};

/// Which running tasks get a second copy.
enum class ReplicaKind {
  expired,  ///< those that run longer than expected
  finalize  ///< the last ones of a campaign, as resources are free
};

/// Second copies of running tasks, on a cluster where their first one is not.
struct Replicas {
  grid::CampaignId campaign;
  grid::ClusterId cluster;
  int jobs = 0;
  ReplicaKind kind = ReplicaKind::finalize;
  bool operator==(const Replicas&) const = default;
};

/// Resources held back for a wide job.
struct HeldBack {
  grid::CampaignId campaign;
  grid::ClusterId cluster;
  double resources = 0.0;
  grid::Instant at{};  ///< when they are free, by the forecasts
};

/// Where a campaign stands in the order, and what it stands there for; also that its priority does nothing there.
struct Standing {
  grid::CampaignId campaign;
  std::string text;
};

struct Plan {
  std::vector<Launch> launches;     ///< in the order in which they are to be made
  std::vector<Preemption> preemptions;
  std::vector<Replicas> replicas;
  std::vector<HeldBack> reservations;
  std::vector<Standing> standings;  ///< of the orders that have figures, and of idle priorities; one a campaign at most
  std::vector<Decision> decisions;  ///< one for each pair, or one for a whole campaign
};

/// Plans one cycle. Pure: the same snapshot gives the same plan, in whatever order its lists
/// are; the cost depends on the number of pairs, not of tasks.
/// Throws std::invalid_argument when the configuration does not pass check() or a pair names an
/// unknown campaign or cluster.
[[nodiscard]] Plan plan(const Snapshot& snapshot, const PlannerConfig& config = {});

}  // namespace gleaner::planner
