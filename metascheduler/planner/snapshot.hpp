#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "lib/grid/campaign_type.hpp"
#include "lib/grid/flood.hpp"
#include "lib/grid/id.hpp"
#include "lib/grid/states.hpp"
#include "lib/grid/time.hpp"

/// What the planner sees: counts of resources, jobs and tasks, never a single task. Everything
/// that depends on the clock (is a status fresh, is a brake still on) was decided by the caller.
namespace gleaner::planner {

/// A decision in force to send nothing somewhere.
struct Brake {
  std::string reason;                  ///< for people: what happened
  std::optional<grid::Instant> until;  ///< nothing: until somebody lifts it
};

/// One cluster. Counts are in resources.
struct ClusterView {
  grid::ClusterId id;
  std::string name;
  double power = 1.0;               ///< relative speed, from the configuration
  int max_resources = 0;            ///< all that may ever be used
  int free_resources = 0;           ///< usable, minus those used by anybody, when the status was taken
  double waiting_resources = 0.0;   ///< of our jobs that wait in its queue: sum of waiting jobs / ratio
  double unaccounted_resources = 0.0;  ///< of our launches that the status cannot show yet (planned, in flight,
                                       ///< accepted since, of unknown fate); subtracted from the offer
  double flood = 0.0;               ///< what may wait, a fraction of max_resources; 0 lets nothing wait
  int array_size = 1;               ///< most jobs in one launch
  bool enabled = true;
  bool reachable = true;
  bool status_fresh = true;         ///< the figures above are recent enough to plan on
  std::optional<Brake> brake = {};
};

/// One campaign in treatment, or paused (it gets a reason, and nothing else).
struct CampaignView {
  grid::CampaignId id;
  std::string user;
  grid::CampaignType type = grid::CampaignType::default_;
  grid::CampaignState state = grid::CampaignState::in_treatment;
  grid::Instant submitted{};
  std::int64_t waiting_tasks = 0;   ///< the bag: all of them, returned ones included
  std::optional<Brake> brake = {};
};

/// One campaign on one cluster of its JDL.
struct PairView {
  grid::CampaignId campaign;
  grid::ClusterId cluster;
  int priority = 0;                          ///< the JDL's order of clusters: the greatest goes first
  std::optional<int> resources_per_job = {}; ///< of one job, when the JDL's request says it
  double job_ratio = 1.0;                    ///< jobs per resource, from the forecasts; the first is
                                             ///< 1 / resources_per_job, or 1
  int live_jobs = 0;                         ///< planned, launching, waiting or running there
  int waiting_jobs = 0;                      ///< of the live ones, those that do not run yet
  grid::Starting starting = grid::Starting::still;  ///< whether free resources are of use to those that wait
  int frozen_jobs = 0;                       ///< of launches whose fate is unknown
  std::int64_t concluded_jobs = 0;           ///< done, or failed for good
  std::int64_t returned_tasks = 0;           ///< in the bag, from void launches there: given there first
  std::optional<int> max_jobs = {};          ///< the JDL's limit on live jobs
  bool mapped = true;                        ///< the campaign's user is known on the cluster
  std::optional<Brake> brake = {};
};

/// The whole picture. Every pair names a campaign and a cluster of the lists; the order of the
/// lists has no influence on the plan.
struct Snapshot {
  std::vector<ClusterView> clusters;
  std::vector<CampaignView> campaigns;
  std::vector<PairView> pairs;
};

}  // namespace gleaner::planner
