#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "lib/grid/campaign_priority.hpp"
#include "lib/grid/campaign_type.hpp"
#include "lib/grid/fields.hpp"
#include "lib/grid/id.hpp"
#include "lib/grid/policy_facts.hpp"
#include "lib/grid/states.hpp"
#include "lib/grid/time.hpp"

/// The facts that one plan needs: counts of resources, jobs and tasks, never a single task. The database stores them
/// (lib/store/planning.hpp), gridsim keeps them itself, the planner reads them. A new fact is a member here, and a line in the list of
/// its struct's fields.
namespace gleaner::grid {

/// A decision in force to send nothing somewhere.
struct Brake {
  std::string reason;            ///< for people: what happened
  std::optional<Instant> until;  ///< empty: until somebody lifts it
};

/// The facts of a cluster that administrators declare (`gridctl cluster add`, `edit`; its options are clients/gridctl/declared.hpp).
struct DeclaredFacts {
  double power = 1.0;          ///< relative speed
  double cost = 0.0;           ///< of one resource for an hour, in any unit
  double transfer_mb_s = 0.0;  ///< bandwidth for inputs, in MB/s; 0: not known
};

inline constexpr auto kDeclaredFields = std::tuple{
    scenario_field("power", &DeclaredFacts::power, {0.001, 1e6}),
    scenario_field("cost", &DeclaredFacts::cost, {0, 1e9}),
    scenario_field("transfer_mb_s", &DeclaredFacts::transfer_mb_s, {0, 1e9}),
};

/// One cluster. Counts are in resources.
struct ClusterFacts : DeclaredFacts {
  ClusterId id{0};
  std::string name;
  double flood = 0.0;  ///< how much may wait, as a fraction of max_resources; 0: nothing
  int array_size = 1;  ///< most jobs in one launch
  bool enabled = true;
  bool retired = false;
  bool reachable = true;
  int max_resources = 0;             ///< all that may ever be used
  int max_node_resources = 0;        ///< of the biggest node; 0: not known
  int free_resources = 0;            ///< usable, minus those that anybody used when the status was read
  int our_resources = 0;             ///< of those in use, the ones that our jobs held, jobs that were just ending included
  std::optional<Instant> status_at;  ///< empty: no status yet
  int unknown_launches = 0;          ///< launches of unknown fate that are newer than the status
  std::optional<int> job_limit;      ///< most of our live jobs, while the cluster is under stress
  std::string stress_reason;         ///< why it counts as under stress, with figures
  std::optional<Brake> brake;
};

inline constexpr auto kClusterFields =
    std::tuple_cat(kDeclaredFields, std::tuple{
                                        row_field("id", &ClusterFacts::id),
                                        row_field("name", &ClusterFacts::name),
                                        row_field("flood", &ClusterFacts::flood),
                                        row_field("array_size", &ClusterFacts::array_size),
                                        row_field("enabled", &ClusterFacts::enabled),
                                        row_field("retired", &ClusterFacts::retired),
                                        row_field("reachable", &ClusterFacts::reachable),
                                        row_field("max_resources", &ClusterFacts::max_resources),
                                        row_field("max_node_resources", &ClusterFacts::max_node_resources),
                                        row_field("free", &ClusterFacts::free_resources),
                                        row_field("our_running", &ClusterFacts::our_resources),
                                        row_field("status_at", &ClusterFacts::status_at),
                                        row_field("unknown_launches", &ClusterFacts::unknown_launches),
                                        scenario_field("job_limit", &ClusterFacts::job_limit, {0, 1e9}),
                                        row_field("stress_reason", &ClusterFacts::stress_reason),
                                    });

/// One campaign in treatment, or paused.
struct CampaignFacts {
  CampaignId id{0};
  std::string user;
  CampaignType type = CampaignType::default_;
  CampaignState state = CampaignState::in_treatment;
  Instant submitted{};
  std::int64_t waiting_tasks = 0;  ///< the bag: all of them, returned ones included
  int priority = kNormalPriority;
  std::string project;
  std::string scheduler;               ///< the campaign scheduler that its JDL names; empty: the configuration's
  std::optional<double> min_duration;  ///< seconds; a task that ends sooner did nothing
  double input_mb = 0.0;               ///< of one task, on average
  bool replicas_allowed = false;
  bool differing = false;  ///< its tasks ask for different things
  std::optional<Brake> brake;
};

inline constexpr auto kCampaignFields = std::tuple{
    row_field("id", &CampaignFacts::id),
    scenario_field("user", &CampaignFacts::user).from_column("user_name"),
    row_field("type", &CampaignFacts::type),
    row_field("state", &CampaignFacts::state),
    row_field("submitted_at", &CampaignFacts::submitted),
    scenario_field("waiting", &CampaignFacts::waiting_tasks, {0, 1e12}),
    scenario_field("priority", &CampaignFacts::priority, {1, kLowestPriority}),
    scenario_field("project", &CampaignFacts::project),
    scenario_field("scheduler", &CampaignFacts::scheduler),
    scenario_field("min_duration", &CampaignFacts::min_duration, {0, 3.2e9}),
    scenario_field("input_mb", &CampaignFacts::input_mb, {0, 1e12}),
    scenario_field("replicas", &CampaignFacts::replicas_allowed),
    row_field("differing", &CampaignFacts::differing),
};

/// One campaign on one cluster of its JDL.
struct PairFacts {
  CampaignId campaign{0};
  ClusterId cluster{0};
  // What the JDL asks of the cluster:
  int priority = 0;                      ///< the JDL's order of clusters: the greatest goes first
  std::optional<int> resources_per_job;  ///< of one job, when the JDL's request says it
  double walltime = 0.0;                 ///< seconds that a job may take at most
  std::optional<int> max_jobs;           ///< most live jobs
  // What was counted:
  bool active = false;                   ///< it had a job, or has a forecast of its own; otherwise all that follows is as here
  std::optional<double> forecast_ratio;  ///< jobs per resource, from the forecasts
  int last_submitted = 0;                ///< jobs, in the last cycle (forecasts.nsub)
  double last_offered = 0.0;             ///< free resources, in that cycle
  int launching = 0, waiting = 0, running = 0, unknown = 0;  ///< jobs
  int unseen = 0;                                            ///< of the unknown ones, those whose launch is newer than the cluster's status
  std::int64_t concluded_jobs = 0;                           ///< done, or failed for good
  int failures_in_a_row = 0;
  std::optional<Instant> last_failure_at;
  std::int64_t done = 0;                               ///< jobs
  double duration_sum = 0.0, duration_squares = 0.0;   ///< of them, in seconds and their squares
  std::int64_t resources_sum = 0, resources_jobs = 0;  ///< resources that OAR assigned, and to how many jobs
  std::optional<Instant> last_start_at;
  std::optional<Instant> last_accept_at;
  bool suspected = false;  ///< it swallowed the campaign's last jobs there, and has shown no work since (grid::Sink)
  // What is read only where there is any:
  std::int64_t returned_tasks = 0;            ///< in the bag, from void launches there: given there first
  std::optional<std::int64_t> fitting_tasks;  ///< of the bag, those that ask for no more than the cluster has; empty: all
  bool has_properties = false;                ///< the JDL asks for properties of the cluster's resources
  std::optional<int> matching_resources;      ///< of the cluster, those that have them, busy or not; empty: not known
  std::string login;                          ///< of the campaign's user there
  std::optional<Brake> brake;
};

/// What the JDL asks of a cluster. campaigns.asked writes their values in this order (the SQL function asked_of).
inline constexpr auto kAskedFields = std::tuple{
    scenario_field("priority", &PairFacts::priority, {-1e6, 1e6}),
    scenario_field("resources_per_job", &PairFacts::resources_per_job, {1, 1e9}),
    scenario_field("walltime", &PairFacts::walltime, {1, 3660.0 * 86400}),
    scenario_field("max_jobs", &PairFacts::max_jobs, {1, 1e9}),
};

/// What was counted, and the forecast.
inline constexpr auto kCountedFields = std::tuple{
    scenario_field("job_ratio", &PairFacts::forecast_ratio, {0, 1e6}),
    row_field("nsub", &PairFacts::last_submitted),
    row_field("offered", &PairFacts::last_offered),
    row_field("launching", &PairFacts::launching),
    row_field("waiting", &PairFacts::waiting),
    row_field("running", &PairFacts::running),
    row_field("unknown", &PairFacts::unknown),
    row_field("unseen", &PairFacts::unseen),
    scenario_field("concluded", &PairFacts::concluded_jobs, {0, 1e12}),
    scenario_field("failures_in_a_row", &PairFacts::failures_in_a_row, {0, 1e6}),
    row_field("last_failure_at", &PairFacts::last_failure_at),
    scenario_field("done", &PairFacts::done, {0, 1e12}),
    scenario_field("duration_sum", &PairFacts::duration_sum, {0, 1e18}),
    row_field("duration_squares", &PairFacts::duration_squares),
    scenario_field("resources_sum", &PairFacts::resources_sum, {0, 1e12}),
    scenario_field("resources_jobs", &PairFacts::resources_jobs, {0, 1e12}),
    row_field("last_start_at", &PairFacts::last_start_at),
    row_field("last_accept_at", &PairFacts::last_accept_at),
    row_field("suspected", &PairFacts::suspected),
};

/// A campaign of which something cannot be read.
struct Unreadable {
  CampaignId id{0};
  std::string why;
  std::optional<Brake> brake;
};

/// Whether there is any of what most grids have none of; a fact that is absent is not read.
struct Present {
  bool limits = false, shares = false, priorities = false;
  bool set_aside = false;  ///< campaigns with an open event CANNOT_PLAN
};

struct PlanningFacts {
  std::vector<ClusterFacts> clusters;
  std::vector<CampaignFacts> campaigns;
  std::vector<PairFacts> pairs;        ///< each of a campaign and of a cluster above, by their ids
  std::vector<Unreadable> unreadable;  ///< not among the campaigns
  Present present;
  PolicyFacts policies;
};

}  // namespace gleaner::grid
