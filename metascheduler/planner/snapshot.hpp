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

/// Resources that come back when some of our running jobs end, by their forecast.
struct Ending {
  double after = 0.0;      ///< seconds from now
  double resources = 0.0;
};

/// One cluster. Counts are in resources.
struct ClusterView {
  grid::ClusterId id;
  std::string name;
  double power = 1.0;               ///< relative speed, from the configuration
  double cost = 0.0;                ///< of one resource for an hour, from the configuration
  double transfer_mb_s = 0.0;       ///< at which inputs reach it; 0: nothing is known
  int max_resources = 0;            ///< all that may ever be used
  int max_node_resources = 0;       ///< of the biggest node; 0: not known
  int free_resources = 0;           ///< usable, minus those used by anybody, when the status was taken
  int our_resources = 0;            ///< of those in use, the ones that jobs of ours occupied, also such as were just ending
  double waiting_resources = 0.0;   ///< of our jobs that wait in its queue: sum of waiting jobs / ratio
  double unaccounted_resources = 0.0;  ///< of our launches that the status cannot show yet (planned, in flight,
                                       ///< accepted since, of unknown fate since); subtracted from the offer
  double unknown_resources = 0.0;      ///< of these, those of launches of unknown fate
  int unknown_jobs = 0;                ///< of all campaigns, of these launches
  int unknown_launches = 0;
  double flood = 0.0;               ///< what may wait, a fraction of max_resources; 0 lets nothing wait
  int array_size = 1;               ///< most jobs in one launch
  bool enabled = true;
  bool retired = false;
  bool reachable = true;
  bool status_fresh = true;         ///< the figures above are recent enough to plan on
  std::optional<Brake> brake = {};
  int our_jobs = 0;                          ///< live jobs of all campaigns there
  std::optional<int> job_limit = {};         ///< of them, while the cluster is under stress
  std::string stress_reason = {};            ///< what tells the stress, with its figures
  std::vector<Ending> endings = {};          ///< of our running jobs, in any order
};

constexpr int kNormalPriority = 4;  ///< of seven, 1 the highest (spec/002, "Project Priority")
constexpr int kLowestPriority = 7;  ///< its jobs give way to those of normal priority and above

/// One campaign in treatment, or paused (it gets a reason, and nothing else).
struct CampaignView {
  grid::CampaignId id;
  std::string user;
  grid::CampaignType type = grid::CampaignType::default_;
  grid::CampaignState state = grid::CampaignState::in_treatment;
  grid::Instant submitted{};
  std::int64_t waiting_tasks = 0;   ///< the bag: all of them, returned ones included
  std::optional<Brake> brake = {};
  std::string project = {};
  int priority = kNormalPriority;
  double input_mb = 0.0;                       ///< of one task, on average
  double used_resource_seconds = 0.0;          ///< by its ended jobs
  std::string scheduler = "workqueue";         ///< the campaign scheduler that treats it; `test` by its type
  bool profiled = false;                       ///< a campaign of the same user and command is known
  bool replicas_allowed = false;
};

/// One campaign on one cluster of its JDL.
struct PairView {
  grid::CampaignId campaign;
  grid::ClusterId cluster;
  int priority = 0;                          ///< the JDL's order of clusters: the greatest goes first
  std::optional<int> resources_per_job = {}; ///< of one job, when the JDL's request says it
  std::optional<double> measured_resources = {};  ///< that OAR gave to one job, on average; nothing: to none yet
  double job_ratio = 1.0;                    ///< jobs per resource, from the forecasts; the first is
                                             ///< 1 / resources_per_job, or 1
  int live_jobs = 0;                         ///< planned, launching, waiting or running there
  int waiting_jobs = 0;                      ///< of the live ones, those that do not run yet
  grid::Starting starting = grid::Starting::still;  ///< whether free resources are of use to those that wait
  int frozen_jobs = 0;                       ///< of launches whose fate is unknown
  std::int64_t concluded_jobs = 0;           ///< done, or failed for good
  std::int64_t returned_tasks = 0;           ///< in the bag, from void launches there: given there first
  std::optional<std::int64_t> fitting_tasks = {};  ///< of the bag, those that ask for no more than the cluster has; nothing: all
  bool has_properties = false;               ///< the JDL asks the cluster's resources for some
  std::optional<int> matching_resources = {};  ///< of the cluster, those that have them, busy or not; nothing: it has not told
  std::optional<int> max_jobs = {};          ///< the JDL's limit on live jobs
  bool mapped = true;                        ///< the campaign's user is known on the cluster
  std::optional<Brake> brake = {};
  double walltime = 0.0;                     ///< seconds that a job may take at most
  std::optional<double> mean_duration = {};  ///< seconds, of the jobs done there
  bool affine = false;                       ///< the user and the cluster are a couple (`gridctl affinity`)
  double standing = 1.0;                     ///< of the cluster with this campaign, in (0, 1]: failures lower it, time restores it
  std::optional<double> min_duration = {};   ///< seconds, the JDL's: what ends sooner did nothing
  bool suspected = false;                    ///< it swallowed the campaign's last jobs there, and has shown no work since (grid::Sink)
  int dying_jobs = 0;                        ///< of the live ones, those with a kill on its way
  int replicable_tasks = 0;                  ///< that run there in one copy
  int expired_tasks = 0;                     ///< of them, those that run longer than expected
};

/// A user as the fair orders see them.
struct UserView {
  std::string name;
  int priority = kNormalPriority;  ///< the administrator's: 1 the highest
  double share = 0.0;              ///< of the grid, in [0, 1]
  double usage = 0.0;              ///< decayed, in days of the whole grid (grid::decayed_usage)
};

/// A node of the tree of projects and users; the root is not listed.
struct ShareNode {
  std::string name;
  int parent = -1;       ///< its index in the list, smaller than its own; -1: the root
  double shares = 1.0;   ///< against its siblings
  double usage = 0.0;    ///< of all that is below it, in days of the whole grid
  bool is_user = false;
};

/// What a limit counts. Live jobs are those that wait or run: all of them may run at once.
enum class LimitKind { running_jobs, waiting_jobs, resources, resource_seconds };

/// A limit of `gridctl limit`. Whom it holds: all that it does not leave open; one that leaves
/// everything open is the grid's cap.
struct LimitView {
  std::int64_t id = 0;
  LimitKind kind = LimitKind::running_jobs;
  double most = 0.0;
  double used = 0.0;     ///< now, by those whom it holds; of resource_seconds: within its window
  std::optional<std::string> user = {};
  std::optional<std::string> project = {};
  std::optional<grid::CampaignId> campaign = {};
  std::optional<grid::ClusterId> cluster = {};
};

/// The whole picture. Every pair names a campaign and a cluster of the lists; the order of the
/// lists of clusters, campaigns and pairs has no influence on the plan.
struct Snapshot {
  std::vector<ClusterView> clusters;
  std::vector<CampaignView> campaigns;
  std::vector<PairView> pairs;
  std::vector<UserView> users = {};     ///< those with shares or usage; others have none
  std::vector<ShareNode> shares = {};
  std::vector<LimitView> limits = {};
  grid::Instant now{};
  std::uint64_t seed = 0;               ///< of what is drawn at random
};

}  // namespace gleaner::planner
