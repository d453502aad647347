#pragma once
#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lib/grid/id.hpp"
#include "lib/grid/time.hpp"

/// Why a campaign got what it got on a cluster: data, stored with the cycle, told by `gridstat --why`.
namespace gleaner::planner {

/// The stages of a plan, named after Maui's job flow.
enum class Stage { feasible, prioritize, throttle, match, allocate, size, emit };

enum class Reason {
  launched,              ///< jobs were given; figures.limit says why not more
  paused,                ///< campaign: its user paused it
  campaign_braked,       ///< campaign
  bag_empty,             ///< campaign: no task waits
  frozen,                ///< what is left depends on launches whose fate is unknown
  no_cluster,            ///< campaign: its JDL has no cluster that the grid knows
  cluster_disabled,
  cluster_retired,
  unreachable,
  stale_status,
  cluster_braked,
  pair_braked,
  not_mapped,
  too_big,               ///< one job asks for more than the cluster has
  no_task_fits,          ///< the tasks that wait ask for more than the cluster has, each of them
  test_already_given,    ///< a test campaign has had its job there
  max_jobs_reached,
  limit_reached,         ///< a limit of `gridctl limit`
  under_stress,          ///< the cluster takes fewer of our jobs for a while
  probing,               ///< the first few jobs are out, to learn from
  few_match,             ///< few of the cluster's resources have the JDL's properties
  width_unknown,         ///< the first job is out, to learn what a limit on resources counts for it
  no_free_resources,     ///< the cluster is full, and its queue holds what the flood allows
  not_enough_resources,  ///< something is free, but less than one job takes
  reserved,              ///< the job is wide: resources are held back for it
  held_for_reservation,  ///< what is free is held back for a wide job of another campaign
  preempting,            ///< jobs of the lowest priority are being killed for it
  earlier_campaigns,     ///< there was enough, the campaigns before took it
  tasks_elsewhere,       ///< the tasks left went to clusters that come first for this campaign
  tasks_reserved         ///< the tasks left were returned by another cluster, and wait for it
};

/// What kept a launch from being bigger.
enum class Limit { none, offer, bag, fitting, max_jobs, one_per_cluster, limit, stress, probe, width, matching, turn };

/// Up to three campaigns, the first that took some of a cluster.
struct Takers {
  std::array<std::int64_t, 3> ids = {};
  int count = 0;
};

/// The numbers behind a reason; those that do not bear on it are zero.
struct Figures {
  int max_resources = 0;
  int matching_resources = 0;     ///< with the JDL's properties
  int free_resources = 0;
  double waiting_resources = 0.0;
  double unaccounted_resources = 0.0;
  double unknown_resources = 0.0; ///< of the unaccounted ones, those of launches whose fate is unknown
  int unknown_jobs = 0;           ///< of these launches, of all campaigns
  int unknown_launches = 0;
  double flood_resources = 0.0;   ///< what may wait
  double offered_resources = 0.0; ///< left for this campaign, the flood included
  double offered_free = 0.0;      ///< of them, free ones: the predictor's last offer (forecasts.offered)
  double taken_resources = 0.0;   ///< by campaigns before it, in this plan
  double job_resources = 0.0;     ///< of one job: known from the JDL, or forecast
  int live_jobs = 0;
  int frozen_jobs = 0;
  std::int64_t concluded_jobs = 0;
  int max_jobs = 0;               ///< the JDL's, or what stress or probing allows
  std::int64_t tasks = 0;         ///< in the bag, reserved, or in the bag and fitting
  double held_resources = 0.0;    ///< for a reservation
  Limit limit = Limit::none;
  std::optional<grid::Instant> until = {};    ///< end of a brake, beginning of a reservation
  std::string note = {};                      ///< a brake's reason, the user who is not mapped, the limit, or what tells stress
  Takers earlier = {};                        ///< who took it, or for whom it is held
};

struct Decision {
  grid::CampaignId campaign;
  std::optional<grid::ClusterId> cluster;  ///< nothing: the whole campaign
  Stage stage = Stage::feasible;
  Reason reason = Reason::launched;
  int jobs = 0;
  Figures figures = {};
};

constexpr int kReasons = static_cast<int>(Reason::tasks_reserved) + 1;
constexpr int kLimits = static_cast<int>(Limit::turn) + 1;

[[nodiscard]] std::string_view name_of(Stage stage);
[[nodiscard]] std::string_view name_of(Reason reason);

using ClusterNames = std::map<grid::ClusterId, std::string>;

/// One sentence that names the stage, the cluster, the figure and what would change it.
/// Throws std::logic_error when a reason has no text.
[[nodiscard]] std::string explain(const Decision& decision, const ClusterNames& names);

}  // namespace gleaner::planner
