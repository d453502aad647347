#pragma once
#include <string>
#include <vector>

#include "lib/grid/id.hpp"
#include "lib/grid/time.hpp"
#include "metascheduler/planner/config.hpp"
#include "metascheduler/planner/decision.hpp"
#include "metascheduler/planner/ranking.hpp"
#include "metascheduler/planner/snapshot.hpp"

namespace gleaner::planner {

/// One submission to one cluster: an array of jobs of one campaign.
struct Launch {
  grid::CampaignId campaign;
  grid::ClusterId cluster;
  int jobs = 0;
  double resources = 0.0;   ///< as the plan counts them
  int returned = 0;         ///< of the jobs, those for tasks that are bound to this cluster, or to the home that it shares
  int pooled = 0;           ///< further tasks, which the jobs take
  std::string leaves = {};  ///< nodes that the jobs leave empty (the text of grid::NodeSizes); empty: none
  bool operator==(const Launch&) const = default;
};

/// Running jobs to kill, the youngest first, so that campaigns of higher priority get their resources. The campaign's jobs in the
/// cluster's queue are killed too, or they would take what is freed.
struct Preemption {
  grid::CampaignId campaign;
  grid::ClusterId cluster;
  int jobs = 0;
  bool operator==(const Preemption&) const = default;
};

/// Which running tasks get a replica.
enum class ReplicaKind {
  expired,  ///< those that run longer than expected
  finalize  ///< the last ones of a campaign, as resources are free
};

/// Where a replica goes: to another cluster than the task's first job or, if the campaign has none, to another node of the same.
enum class ReplicaPlace { other_cluster, other_node };

/// Replicas of running tasks.
struct Replicas {
  grid::CampaignId campaign;
  grid::ClusterId cluster;
  int jobs = 0;
  ReplicaKind kind = ReplicaKind::finalize;
  ReplicaPlace place = ReplicaPlace::other_cluster;
  std::string leaves = {};  ///< as of a launch
  bool operator==(const Replicas&) const = default;
};

/// Resources held back for a wide job.
struct HeldBack {
  grid::CampaignId campaign;
  grid::ClusterId cluster;
  double resources = 0.0;
  grid::Instant at{};  ///< when they are free, by the forecasts
  bool lasts = false;  ///< the next plan holds them back, too: the campaign has no job there
};

/// The place of a campaign in the order.
struct Standing {
  grid::CampaignId campaign;
  decisions::Standing figures;
};

/// Tasks would go to this cluster, and have their input files brought there first.
struct WantedInputs {
  grid::CampaignId campaign;
  grid::ClusterId cluster;
  std::int64_t tasks = 0;  ///< of those that go there next
  bool operator==(const WantedInputs&) const = default;
};

struct Plan {
  std::vector<Launch> launches;  ///< in the order in which they are to be made
  std::vector<Preemption> preemptions;
  std::vector<Replicas> replicas;
  std::vector<WantedInputs> inputs;
  std::vector<HeldBack> reservations;
  std::vector<Standing> standings;   ///< at most one for each campaign: of orders that have figures, and of priorities without effect
  std::vector<RankedClass> ranking;  ///< the classes in their order; a campaign may be in two, by affinity
  std::vector<Decision> decisions;   ///< one for each pair, or one for a whole campaign
};

/// The reservations that the next plan renews.
[[nodiscard]] std::vector<grid::HeldForJob> held_by(const Plan& plan);

/// Plans one cycle. Pure: the same snapshot gives the same plan, in whatever order its lists are. Cost: O(pairs).
/// Throws std::invalid_argument when the configuration does not pass check() or a pair names an
/// unknown campaign or cluster.
[[nodiscard]] Plan plan(const Snapshot& snapshot, const PlannerConfig& config = {});

}  // namespace gleaner::planner
