#pragma once
#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "lib/grid/availability.hpp"
#include "lib/grid/campaign_priority.hpp"
#include "lib/grid/campaign_type.hpp"
#include "lib/grid/dependency.hpp"
#include "lib/grid/fields.hpp"
#include "lib/grid/grouping.hpp"
#include "lib/grid/headroom.hpp"
#include "lib/grid/id.hpp"
#include "lib/grid/login.hpp"
#include "lib/grid/needs.hpp"
#include "lib/grid/node_sizes.hpp"
#include "lib/grid/out_of_use.hpp"
#include "lib/grid/policy_facts.hpp"
#include "lib/grid/script.hpp"
#include "lib/grid/states.hpp"
#include "lib/grid/time.hpp"
#include "lib/grid/token_lack.hpp"

/// The facts for one plan: counts of resources, jobs and tasks, never single tasks. The database stores them (lib/store/planning.hpp),
/// gridsim keeps its own, and the planner reads them. To add a fact, add a member here, and a line to the list of its struct's fields. A
/// JDL's key that the planner uses is one, too.
namespace gleaner::grid {

/// A brake in force.
struct Brake {
  std::string reason;            ///< what happened, for people
  std::optional<Instant> until;  ///< empty: until somebody lifts it
};

/// The facts of a cluster that administrators declare (`gridctl cluster add`, `edit`).
struct DeclaredFacts {
  double power = 1.0;             ///< relative speed
  double cost = 0.0;              ///< of one resource for an hour, in any unit
  double transfer_mb_s = 0.0;     ///< bandwidth for inputs, in MB/s; 0: not known
  double wake_minutes = 0.0;      ///< of work for each core of a node that sleeps, for which it is woken; 0: it is as good as another one
  double file_server_mb_s = 0.0;  ///< that its file server bears of all our jobs, reads and writes together; 0: not known
};

inline constexpr auto kDeclaredFields = std::tuple{
    declared_field("power", &DeclaredFacts::power, {0.001, 1e6}, "power", "NUMBER",
                   "speed of its resources, 1 being usual: `placement = power` prefers the greater"),
    declared_field("cost", &DeclaredFacts::cost, {0, 1e9}, "cost", "NUMBER",
                   "of one of its resources for an hour: the placement packed and the order cheapest prefer the smaller"),
    declared_field("transfer_mb_s", &DeclaredFacts::transfer_mb_s, {0, 1e9}, "transfer", "MB/S",
                   "at which inputs reach it, for the placement transfer; 0: not known"),
    declared_field("wake_minutes", &DeclaredFacts::wake_minutes, {0, 1e6}, "wake", "MINUTES",
                   "of work for each core of a sleeping node, for which the grid wakes it; 0: as if it were awake"),
    declared_field("file_server_mb_s", &DeclaredFacts::file_server_mb_s, {0, 1e9}, "file-server", "MB/S",
                   "that its file server bears, reads and writes of all jobs together: no more jobs go there; 0: not known"),
};

/// One cluster. Counts are in resources.
struct ClusterFacts : DeclaredFacts, OutOfUse {
  ClusterId id{0};
  std::string name;
  double flood = 0.0;  ///< how much may wait, as a fraction of max_resources; 0: nothing
  int array_size = 1;  ///< most jobs in one launch
  bool enabled = true;
  bool retired = false;
  bool reachable = true;
  int max_resources = 0;             ///< greatest number of resources that may be used
  int max_node_resources = 0;        ///< of the biggest node; 0: unknown
  int min_node_resources = 0;        ///< of the smallest node
  int reserved_resources = 0;        ///< beside max_resources: those that OAR gives to no best-effort job
  int reserved_free = 0;             ///< of them, those that no job holds
  std::string free_nodes;            ///< nodes by their free resources (the text of NodeSizes, or kNoFreeNode); empty: not known
  std::string reserved_free_nodes;   ///< the same of the reserved ones
  std::string advance_reservations;  ///< of OAR, that have not begun (text_of); empty: none is known
  // Where nodes may sleep, or are packed (the texts of NodeSizes, by all resources of a node that OAR starts jobs on):
  std::string open_nodes;                     ///< nodes with jobs; all three are empty: not known
  std::string empty_nodes;                    ///< awake ones without
  std::string asleep_nodes;                   ///< those that OAR wakes for a job
  int longest_node_name = 0;                  ///< in bytes
  std::string node_memory;                    ///< of its nodes (the text of NodeMemory, in memory_unit_mb); empty: not known
  int memory_unit_mb = 1;                     ///< MB
  std::optional<double> start_cost;           ///< seconds for which a job holds its resources besides its tasks; empty: not measured yet
  Headroom headroom;                          ///< resources that stay free for local jobs
  int learnt_headroom = 0;                    ///< by the predictor, where the headroom is `auto`
  int free_resources = 0;                     ///< usable, minus those in use by anybody when the status was read
  int loaded_resources = 0;                   ///< kept busy by load, for which no job accounts; 0 where load does not count
  int our_resources = 0;                      ///< in use by our jobs, including jobs that were about to end
  std::optional<Instant> status_at;           ///< empty: no status yet
  std::optional<Instant> no_resources_since;  ///< since when it has no usable resource; empty: it has some, or was never asked
  int unknown_launches = 0;                   ///< unknown launches that are newer than the status
  std::optional<int> job_limit;               ///< most of our live jobs, while the cluster is under stress
  std::string stress_reason;                  ///< why it is under stress, with figures
  std::string shared_home;                    ///< clusters of one name here have their users' homes in common; empty: with none
  std::optional<Brake> brake;

  [[nodiscard]] int kept_resources() const { return grid::kept_resources(headroom, learnt_headroom, max_resources); }
  [[nodiscard]] int available_resources() const { return grid::available_resources(free_resources, loaded_resources); }
  /// Free resources that the grid's jobs may take.
  [[nodiscard]] int free_for_grid() const { return std::max(0, available_resources() - kept_resources()); }
  /// The flood that the grid may add. None, if resources stay free, or are busy without a job: OAR would start a waiting job there.
  [[nodiscard]] double flood_for_grid() const { return kept_resources() > 0 || loaded_resources > 0 ? 0.0 : flood; }
};

inline constexpr auto kClusterFields = std::tuple_cat(kDeclaredFields, kOutOfUseFields,
                                                      std::tuple{
                                                          row_field("id", &ClusterFacts::id),
                                                          row_field("name", &ClusterFacts::name),
                                                          row_field("flood", &ClusterFacts::flood),
                                                          row_field("array_size", &ClusterFacts::array_size),
                                                          row_field("enabled", &ClusterFacts::enabled),
                                                          row_field("retired", &ClusterFacts::retired),
                                                          row_field("reachable", &ClusterFacts::reachable),
                                                          row_field("max_resources", &ClusterFacts::max_resources),
                                                          row_field("no_resources_since", &ClusterFacts::no_resources_since),
                                                          row_field("max_node_resources", &ClusterFacts::max_node_resources),
                                                          row_field("min_node_resources", &ClusterFacts::min_node_resources),
                                                          row_field("reserved_resources", &ClusterFacts::reserved_resources),
                                                          row_field("reserved_free", &ClusterFacts::reserved_free),
                                                          row_field("free_nodes", &ClusterFacts::free_nodes),
                                                          row_field("reserved_free_nodes", &ClusterFacts::reserved_free_nodes),
                                                          row_field("advance_reservations", &ClusterFacts::advance_reservations),
                                                          row_field("open_nodes", &ClusterFacts::open_nodes),
                                                          row_field("empty_nodes", &ClusterFacts::empty_nodes),
                                                          row_field("asleep_nodes", &ClusterFacts::asleep_nodes),
                                                          row_field("longest_node_name", &ClusterFacts::longest_node_name),
                                                          scenario_field("node_memory", &ClusterFacts::node_memory),
                                                          scenario_field("memory_unit_mb", &ClusterFacts::memory_unit_mb, {1, 1e9}),
                                                          scenario_field("start_cost", &ClusterFacts::start_cost, {0, 86400}),
                                                          row_field("headroom", &ClusterFacts::headroom),
                                                          row_field("learnt_headroom", &ClusterFacts::learnt_headroom),
                                                          row_field("free", &ClusterFacts::free_resources),
                                                          row_field("loaded_resources", &ClusterFacts::loaded_resources),
                                                          row_field("our_running", &ClusterFacts::our_resources),
                                                          row_field("status_at", &ClusterFacts::status_at),
                                                          row_field("unknown_launches", &ClusterFacts::unknown_launches),
                                                          scenario_field("job_limit", &ClusterFacts::job_limit, {0, 1e9}),
                                                          row_field("stress_reason", &ClusterFacts::stress_reason),
                                                          scenario_field("shared_home", &ClusterFacts::shared_home),
                                                      });

/// The keys of a JDL that the planner reads as they stand there (jdl::Scheduling has them too).
struct CampaignKeys {
  int priority = kNormalPriority;  ///< one of seven levels, 1 the highest
  Grouping grouping = Grouping::off;
  bool side_by_side = false;  ///< a job that takes several tasks carries out as many at a time as it has cores (dimensional_grouping)
  bool operator==(const CampaignKeys&) const = default;
};

/// A user holds tasks of a campaign.
struct Hold {
  std::string by;
  Instant since{};
};

/// One campaign in treatment, or paused.
struct CampaignFacts : CampaignKeys {
  CampaignId id{0};
  std::string user;
  CampaignType type = CampaignType::default_;
  CampaignState state = CampaignState::in_treatment;
  Instant submitted{};
  std::int64_t waiting_tasks = 0;    ///< tasks in the bag, returned ones included
  std::int64_t on_hold_tasks = 0;    ///< tasks that wait, and are not in the bag, as a user holds them
  std::int64_t unsettled_tasks = 0;  ///< tasks in the bag, of jobs, and those that another campaign or a user holds
  std::int64_t settled_tasks = 0;    ///< tasks done, failed or cancelled
  std::string project;
  std::string scheduler;               ///< the campaign scheduler that its JDL names; empty: the configuration's
  std::optional<double> min_duration;  ///< seconds; a task that ends sooner did nothing
  double input_mb = 0.0;               ///< mean of one task
  bool replicas_allowed = false;
  bool differing = false;                   ///< its tasks have different requests
  Needs needs;                              ///< of each task: consumables of the grid
  std::optional<double> checkpoint_cost;    ///< seconds that a task takes to write a checkpoint; empty: it writes none
  std::optional<double> checkpoint_period;  ///< seconds from one to the next; empty: the optimal ones (grid::optimal_period)
  std::optional<Brake> brake;
  std::vector<std::string> groups;  ///< unix groups of its user, those that limits name
  // Facts that are read only where there are dependencies:
  std::optional<Awaited> awaits;       ///< a campaign that comes first
  std::optional<Awaited> holds_tasks;  ///< a campaign whose tasks hold tasks of this one
  std::int64_t held_tasks = 0;         ///< tasks that wait, and are not in the bag, as others of that campaign come first
  std::int64_t withheld_tasks = 0;     ///< tasks that wait outside of the bag, as what was given to them is wrong; counted to 1000
  std::optional<Hold> hold;            ///< the first hold, where a user holds tasks
};

inline constexpr auto kCampaignFields = std::tuple{
    row_field("id", &CampaignFacts::id),
    scenario_field("user", &CampaignFacts::user).from_column("user_name"),
    row_field("type", &CampaignFacts::type),
    row_field("state", &CampaignFacts::state),
    row_field("submitted_at", &CampaignFacts::submitted),
    scenario_field("waiting", &CampaignFacts::waiting_tasks, {0, 1e12}),
    scenario_field("on_hold", &CampaignFacts::on_hold_tasks, {0, 1e12}),
    row_field("unsettled", &CampaignFacts::unsettled_tasks),
    scenario_field("settled", &CampaignFacts::settled_tasks, {0, 1e12}),
    scenario_field("priority", &CampaignFacts::priority, {1, kLowestPriority}),
    scenario_field("project", &CampaignFacts::project),
    scenario_field("scheduler", &CampaignFacts::scheduler),
    scenario_field("min_duration", &CampaignFacts::min_duration, {0, 3.2e9}),
    scenario_field("input_mb", &CampaignFacts::input_mb, {0, 1e12}),
    scenario_field("replicas", &CampaignFacts::replicas_allowed),
    row_field("differing", &CampaignFacts::differing),
    scenario_field("temporal_grouping", &CampaignFacts::grouping).from_column("grouping"),
    scenario_field("dimensional_grouping", &CampaignFacts::side_by_side).from_column("side_by_side"),
    scenario_field("needs", &CampaignFacts::needs),
    scenario_field("checkpoint_cost", &CampaignFacts::checkpoint_cost, {1, 3.2e8}),
    scenario_field("checkpoint_period", &CampaignFacts::checkpoint_period, {1, 3.2e8}),
};

/// Input files of a campaign that are not on a cluster yet.
struct MissingInputs {
  std::int64_t bytes = 0;  ///< that the tasks which go there next lack, as far as known
  double mb_s = 0.0;       ///< at which such files reached the cluster; 0: not known
  std::int64_t ready = 0;  ///< tasks of the bag that lack none
};

/// The keys of a JDL on one of its clusters that the planner reads as they stand there (jdl::ClusterSection has them too).
struct PairKeys {
  std::optional<int> max_jobs;  ///< most live jobs of the campaign on this cluster; 0: only bound tasks go there
  int priority = 1;             ///< the cluster's rank in this campaign: the highest goes first
  bool operator==(const PairKeys&) const = default;
};

/// One campaign on one cluster of its JDL.
struct PairFacts : PairKeys {
  CampaignId campaign{0};
  ClusterId cluster{0};
  // Requests of the JDL on this cluster:
  std::optional<int> resources_per_job;  ///< when the JDL's request states them, or the sizes of the cluster's nodes do (fit_to_nodes)
  double walltime = 0.0;                 ///< greatest duration of a job, in seconds
  std::optional<int> nodes_per_job;      ///< when the request names nodes; without resources_per_job they are whole ones
  bool best_effort = true;
  // Counters:
  bool active = false;                   ///< it had a job, or has a forecast of its own; otherwise all that follows keeps its defaults
  std::optional<double> forecast_ratio;  ///< jobs per resource, from the forecasts
  int last_submitted = 0;                ///< jobs submitted in the last cycle (forecasts.nsub)
  double last_offered = 0.0;             ///< free resources in that cycle
  int launching = 0, waiting = 0, running = 0, unknown = 0;  ///< jobs
  int unseen = 0;                                            ///< unknown jobs whose launch is newer than the cluster's status
  std::int64_t concluded_jobs = 0;                           ///< done, or failed for good
  int failures_in_a_row = 0;
  std::optional<Instant> last_failure_at;
  std::int64_t done = 0;                               ///< jobs
  double duration_sum = 0.0, duration_squares = 0.0;   ///< of the done jobs: seconds, seconds squared
  std::int64_t resources_sum = 0, resources_jobs = 0;  ///< resources that OAR assigned, and the number of jobs that got them
  std::optional<Instant> last_start_at;
  std::optional<Instant> last_accept_at;
  std::int64_t interruptions = 0;  ///< jobs that were preempted, or lost with their node
  double exposed_seconds = 0.0;    ///< for which its ended jobs ran, in all
  std::int64_t io_jobs = 0;        ///< done jobs that show how much their tasks read and write:
  double io_mb = 0.0;              ///< in all
  double io_seconds = 0.0;         ///< for which their commands ran, in all
  bool suspected = false;          ///< the cluster is suspected of being a sink for this campaign (grid::Sink)
  std::optional<int> array_most;   ///< jobs of an array, where a web server refused a larger request; empty: the cluster's array_size
  bool pools_refused = false;      ///< OAR refused a job of several tasks of this campaign there
  // The memory of tasks:
  std::int64_t memory_jobs = 0;           ///< of the done jobs, those whose memory was measured
  std::optional<int> peak_memory_mb;      ///< the most that one of them took
  std::optional<std::int64_t> memory_mb;  ///< the most that the JDL requests of a node for a task; empty: none, or no cluster states it
  // Facts that are read only where they exist:
  std::int64_t returned_tasks = 0;   ///< bound tasks in the bag, from void launches on this cluster: the plan assigns these first
  std::int64_t following_tasks = 0;  ///< of these, tasks that follow others, whose files are there
  std::int64_t fenced_tasks = 0;     ///< of these, tasks that a job of a void launch may still run there
  std::int64_t home_tasks = 0;       ///< of these, tasks that need files in the home there: any cluster with this home may take them
  std::int64_t unread_tasks = 0;     ///< of pools whose jobs are all over, while their files have not been read
  std::optional<std::int64_t> fitting_tasks;     ///< tasks of the bag whose requests fit the cluster; empty: all
  bool has_properties = false;                   ///< the JDL requests properties of the cluster's resources
  std::optional<int> matching_resources;         ///< resources of the cluster with these properties, busy or not; empty: unknown
  Preparation preparation = Preparation::ready;  ///< whether the pair's scripts allow tasks there
  bool awaits_epilogue = false;                  ///< the campaign's tasks are settled, and its epilogue there is not over
  std::optional<MissingInputs> missing_inputs;   ///< input files that some task lacks there; empty: none
  std::string login;                             ///< of the campaign's user there
  std::optional<TokenLack> token_lack = {};      ///< why nothing can be done in the user's name there; empty: it can
  std::optional<Brake> brake;
  std::string last_brake;  ///< why it was braked last; empty: that brake is in force, was lifted, or set by hand
};

/// Whether tasks of a bag may go there, as far as the pair determines it: its JDL uses the cluster, its user has an account there, its
/// prologue did not fail. As the planner has it, for those that foresee what the planner will do.
[[nodiscard]] inline bool takes_tasks(const PairFacts& pair) {
  return pair.max_jobs != 0 && pair.preparation != Preparation::prologue_failed && is_login(pair.login);
}
/// Whether they may go there now: a cluster that wants a token of each user takes none until it has that of theirs.
[[nodiscard]] inline bool takes_tasks_now(const PairFacts& pair) { return takes_tasks(pair) && !pair.token_lack; }

/// Whether no task of the bag can start there before input files are brought.
[[nodiscard]] inline bool lacks_inputs(const PairFacts& pair) { return pair.missing_inputs && pair.missing_inputs->ready <= 0; }

/// Requests of the JDL. campaigns.asked stores their values in this order (the SQL function asked_of).
inline constexpr auto kAskedFields = std::tuple{
    scenario_field("priority", &PairFacts::priority, {-1e6, 1e6}),
    scenario_field("resources_per_job", &PairFacts::resources_per_job, {1, 1e9}),
    scenario_field("walltime", &PairFacts::walltime, {1, 3660.0 * 86400}),
    scenario_field("max_jobs", &PairFacts::max_jobs, {0, 1e9}),
    row_field("nodes_per_job", &PairFacts::nodes_per_job),
    row_field("best_effort", &PairFacts::best_effort),
};

/// Resources of a job's nodes if each is the cluster's biggest; 0: not known.
[[nodiscard]] inline double whole_nodes(const PairFacts& pair, const ClusterFacts& cluster) {
  return static_cast<double>(pair.nodes_per_job.value_or(1)) * cluster.max_node_resources;
}

/// Counts a job for whole nodes as what these hold, if all nodes of the cluster have one size.
inline void fit_to_nodes(PairFacts& pair, const ClusterFacts& cluster) {
  if (pair.resources_per_job || !pair.nodes_per_job || cluster.max_node_resources <= 0) return;
  if (cluster.min_node_resources != cluster.max_node_resources) return;
  pair.resources_per_job = static_cast<int>(std::min(1e7, whole_nodes(pair, cluster)));
}

/// The counters, and the forecast.
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
    scenario_field("interruptions", &PairFacts::interruptions, {0, 1e12}),
    scenario_field("exposed_seconds", &PairFacts::exposed_seconds, {0, 1e18}),
    scenario_field("io_jobs", &PairFacts::io_jobs, {0, 1e12}),
    scenario_field("io_mb", &PairFacts::io_mb, {0, 1e18}),
    scenario_field("io_seconds", &PairFacts::io_seconds, {0, 1e18}),
    row_field("suspected", &PairFacts::suspected),
    row_field("array_most", &PairFacts::array_most),
    row_field("pools_refused", &PairFacts::pools_refused),
    scenario_field("memory_jobs", &PairFacts::memory_jobs, {0, 1e12}),
    scenario_field("peak_memory_mb", &PairFacts::peak_memory_mb, {0, 1e9}),
};

/// Requests of the JDL that are read only where a cluster states the memory of its nodes.
inline constexpr auto kMemoryFields = std::tuple{
    scenario_field("memory_mb", &PairFacts::memory_mb, {0, 1e12}),
};

/// A campaign whose stored facts cannot be read.
struct Unreadable {
  CampaignId id{0};
  std::string why;
  std::optional<Brake> brake;
};

/// Whether optional features are in use; facts of an absent one are not read.
struct Present {
  bool limits = false, keeps = false, shares = false, priorities = false;
  bool declared_priorities = false;  ///< of projects or groups
  bool set_aside = false;            ///< campaigns with an open event CANNOT_PLAN
  bool held = false;                 ///< resources that earlier plans hold back for wide jobs
  bool freed = false;                ///< tasks that wait for tasks of others may be put into their bags
};

/// The scripts of one pair.
struct PairScripts {
  CampaignId campaign{0};
  ClusterId cluster{0};
  ScriptFacts facts;
};

struct PlanningFacts {
  std::vector<ClusterFacts> clusters;
  std::vector<CampaignFacts> campaigns;
  std::vector<PairFacts> pairs;        ///< each of a campaign and a cluster above, ordered by their ids
  std::vector<Unreadable> unreadable;  ///< not among `campaigns`
  Present present;
  PolicyFacts policies;
  std::vector<PairScripts> scripts;  ///< also of cancelled campaigns
};

}  // namespace gleaner::grid
