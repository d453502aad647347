#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "lib/grid/advance_reservation.hpp"
#include "lib/grid/flood.hpp"
#include "lib/grid/node_memory.hpp"
#include "lib/grid/planning_facts.hpp"
#include "lib/grid/share_tree.hpp"

/// The planner's picture of the grid: the facts (lib/grid/planning_facts.hpp), and what follows from them, the clock and the
/// configuration (metascheduler/snapshot_of.hpp). The planner itself reads no clock.
namespace gleaner::planner {

using grid::Brake;
using grid::Ending;
using grid::kLowestPriority;
using grid::kNormalPriority;
using grid::LimitKind;

/// One cluster. Counts are in resources. Resources that stay free for local jobs, or are busy without a job, are not among its free
/// resources, and its flood is 0 then.
struct ClusterView : grid::ClusterFacts {
  bool status_fresh = true;                        ///< its status is recent enough to plan on
  int withheld_resources = 0;                      ///< free ones that are not offered
  int busy_resources = 0;                          ///< of these, those that load makes unavailable; the others stay free for local jobs
  double waiting_resources = 0.0;                  ///< of our jobs that wait in its queue: sum of waiting jobs / ratio
  double unaccounted_resources = 0.0;              ///< of our launches that the status cannot show yet (planned, in flight,
                                                   ///< accepted since, of unknown fate since); subtracted from the offer
  double unknown_resources = 0.0;                  ///< of these, those of launches of unknown fate
  int unknown_jobs = 0;                            ///< of all campaigns, of these launches
  int our_jobs = 0;                                ///< live jobs of all campaigns there
  std::optional<grid::NodeSizes> nodes_free = {};  ///< nodes by their free resources; empty: not known
  std::optional<grid::NodeSizes> reserved_nodes_free = {};  ///< the same of the reserved ones
  bool names_nodes = false;          ///< its nodes are known by name, and best-effort jobs are kept from those that the plan leaves empty
  grid::NodeSizes open = {};         ///< nodes with jobs, by all their resources
  grid::NodeSizes empty = {};        ///< awake ones without
  grid::NodeSizes waking = {};       ///< those that sleep, and that best-effort jobs may wake
  grid::NodeSizes asleep = {};       ///< those that are left asleep: they count among the reserved ones, not among the free ones
  int asleep_resources = 0;          ///< of these, as far as they were free
  grid::NodeMemory memory = {};      ///< of its nodes, in MB
  double held_core_mb = 0.0;         ///< the most MB for each core that our running jobs are known to take; 0: of none it is known
  bool held_is_known = false;        ///< that of all resources that jobs hold there
  std::vector<Ending> endings = {};  ///< of our running jobs, in any order
  std::vector<grid::Booking> bookings = {};  ///< by advance reservations of OAR
  double late_resources = 0.0;               ///< of waiting_resources, those of jobs that OAR does not start where one begins
};

/// One campaign in treatment, or paused (it gets a reason, and nothing else). Its `scheduler` is never empty.
struct CampaignView : grid::CampaignFacts {
  double used_resource_seconds = 0.0;            ///< by its ended jobs
  bool profiled = false;                         ///< a campaign of the same user and command is known
  grid::DeclaredPriority project_priority = {};  ///< of its project, and the project that has it; without a name: none was declared
  grid::DeclaredPriority group_priority = {};    ///< the highest of its user's groups
};

/// Whether the nodes of a cluster hold as many jobs of a campaign as they have cores for them, the best first.
enum class MemoryFit {
  fits,    ///< or nothing is known
  crowds,  ///< on some nodes, the share of a job's cores is less than its tasks took: as many jobs as cores may be too many
  exceeds  ///< no node has as much
};

/// One campaign on one cluster of its JDL.
struct PairView : grid::PairFacts {
  std::optional<double> measured_resources = {};    ///< that OAR gave to one job, on average; empty: to none yet
  double job_ratio = 1.0;                           ///< jobs per resource, from the forecasts; the first is
                                                    ///< 1 / resources_per_job, or 1
  int live_jobs = 0;                                ///< planned, launching, waiting or running there
  double before_reservation = 0.0;                  ///< seconds that a job of one task needs before a reservation of OAR begins
  int waiting_jobs = 0;                             ///< of the live ones, those that do not run yet
  grid::Starting starting = grid::Starting::still;  ///< whether free resources are of use to those that wait
  int frozen_jobs = 0;                              ///< of launches whose fate is unknown
  bool on_trial = false;                            ///< after repeated failures: one job at a time, until one succeeds
  bool mapped = true;                               ///< the campaign's user is known on the cluster
  std::optional<double> mean_duration = {};         ///< seconds, of the jobs done there
  bool has_affinity = false;                        ///< the user has an affinity to the cluster (`gridctl affinity`)
  double standing = 1.0;                            ///< of the cluster with this campaign, in (0, 1]: failures lower it, time restores it
  std::optional<double> min_duration = {};          ///< seconds, the campaign's
  std::optional<std::int64_t> most_unjudged = {};   ///< live tasks, while nothing shows that these are done there (grid::most_unjudged)
  int dying_jobs = 0;                               ///< of the live ones, those with a kill on its way
  int replicable_tasks = 0;                         ///< that run there in one copy
  bool barred = false;                              ///< from resources of the cluster that are kept now for others (`gridctl keep`)
  int expired_tasks = 0;                            ///< of them, those that run longer than expected
  std::optional<std::int64_t> measured_mb = {};     ///< the most that tasks of its campaign took, on any cluster; empty: too few show it,
                                                    ///< or the JDL requests memory
  MemoryFit memory_fit = MemoryFit::fits;           ///< of that on the cluster
  /// MB that a job takes of one node, as requested or else measured. Empty: not known.
  [[nodiscard]] std::optional<std::int64_t> taken_mb() const { return memory_mb ? memory_mb : measured_mb; }
};

/// A keep that is active now.
struct KeepView {
  std::string name;
  grid::ClusterId cluster{0};
  int resources = 0;
  std::string whom = {};                         ///< in words
  std::optional<grid::Instant> until = {};       ///< empty: until somebody removes it
  std::vector<grid::CampaignId> campaigns = {};  ///< those of the snapshot that it is for, sorted
  double used = 0.0;                             ///< resources of their live jobs that count in it, at most `resources`
};

/// A user as the fair orders see them.
struct UserView {
  std::string name;
  int priority = kNormalPriority;  ///< the administrator's: 1 the highest
  double share = 0.0;              ///< of the grid, in [0, 1]
  double usage = 0.0;              ///< decayed, in days of the whole grid (grid::decayed_usage)
};

using grid::ShareNode;

/// The whole picture. Every pair names a campaign and a cluster of the lists; the order of the
/// lists of clusters, campaigns and pairs has no influence on the plan.
struct Snapshot {
  std::vector<ClusterView> clusters;
  std::vector<CampaignView> campaigns;
  std::vector<PairView> pairs;
  std::vector<UserView> users = {};  ///< those with shares or usage; others have none
  std::vector<ShareNode> shares = {};
  std::vector<grid::Limit> limits = {};
  std::vector<KeepView> keeps = {};         ///< by their names
  std::vector<grid::HeldForJob> held = {};  ///< the oldest first
  grid::Instant now{};
  std::uint64_t seed = 0;  ///< of what is drawn at random
};

}  // namespace gleaner::planner
