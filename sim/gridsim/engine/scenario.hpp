#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "lib/grid/campaign_type.hpp"
#include "lib/grid/time.hpp"
#include "lib/process/config.hpp"
#include "lib/store/policies.hpp"
#include "sim/gridsim/engine/distribution.hpp"

/// What is simulated, as its file says it, checked (docs/simulator.md has every key).
namespace gleaner::gridsim {

/// One of the cluster's own jobs, which OAR puts before all best-effort ones.
struct LocalJob {
  double at = 0;        ///< seconds since the beginning
  double duration = 0;  ///< seconds
  int resources = 1;
};

/// Local users who come and go at random.
struct Synthetic {
  Distribution every;          ///< time between two arrivals
  Distribution duration;
  std::vector<int> resources;  ///< of a job: one of these, all as likely
};
/// Local jobs of a trace in the Standard Workload Format, read already.
struct Trace {
  std::vector<LocalJob> jobs;
};
using LocalUsers = std::variant<std::monostate, Synthetic, Trace>;

struct ClusterSpec {
  std::string name;
  int nodes = 1;
  int cores = 1;                       ///< resources of a node
  double power = 1;                    ///< what the planner is told
  double speed = 1;                    ///< by which durations are divided here
  std::optional<double> flood;         ///< of this cluster; else the configuration's
  std::optional<int> array_size;
  double start_delay = 1.0;            ///< seconds from OAR's decision until the job runs
  double start_rate = 2.0;             ///< jobs that OAR starts a second
  double end_delay = 0.0;              ///< seconds from a job's end until its resources are free
  double preemption_delay = 5.0;       ///< seconds until a best-effort job has given way
  double api_latency = 0.2;            ///< seconds of a submission or a deletion
  LocalUsers local;
  int held = 0;                        ///< resources that others hold from the beginning to the end
  double braked = 0;                   ///< seconds from the beginning for which nothing is sent there
  double cost = 0;                     ///< of one resource for an hour
  double transfer_mb_s = 0;            ///< at which inputs reach it; 0: not known
  std::optional<int> job_limit;        ///< of our jobs there, under stress
  [[nodiscard]] int resources() const { return nodes * cores; }
};

/// Resources of one job: `nodes` times `per_node`; 0 nodes: `per_node` resources anywhere; 0 per node:
/// all of each.
struct Shape {
  int nodes = 0;
  int per_node = 1;
};

/// What a campaign has done on a cluster before the simulation begins, and does there at that time.
struct PairState {
  struct Running {
    double age = 0;  ///< seconds
    int jobs = 0;
  };
  std::vector<Running> running;
  int queued = 0;                  ///< jobs
  std::optional<double> job_ratio;
  std::int64_t done = 0;           ///< jobs
  double duration_sum = 0;         ///< seconds, of them
  std::int64_t concluded = 0;
  std::int64_t resources_sum = 0, resources_jobs = 0;
  int failures_in_a_row = 0;
  double braked = 0;               ///< seconds from the beginning
};

/// A campaign on one cluster.
struct CampaignOnCluster {
  std::size_t cluster = 0;                ///< in Scenario::clusters
  Shape shape;
  int width = 1;                          ///< resources that a job takes
  std::optional<int> resources_per_job;   ///< what the grid reads from the request, when it says it
  double walltime = 3600;                 ///< seconds
  std::optional<int> max_jobs;
  int priority = 1;
  enum class Kind { best_effort, normal } kind = Kind::best_effort;
  std::optional<double> speed;            ///< of its tasks there, when it is not the cluster's
  PairState state;
};

struct CampaignSpec {
  std::string name;
  std::string user;
  grid::CampaignType type = grid::CampaignType::default_;
  std::string project;
  int priority = 4;              ///< of the seven, 1 the highest
  std::optional<std::string> scheduler;
  bool replicas_allowed = false;
  std::optional<double> min_duration;  ///< seconds
  std::optional<int> max_attempts;     ///< jobs for one task at most; nothing: the configuration's
  double input_mb = 0;                 ///< of one task, on average
  double at = 0;                 ///< its submission, seconds since the beginning
  std::int64_t tasks = 1;
  Distribution duration;         ///< of a task on a cluster of speed 1
  std::vector<CampaignOnCluster> clusters;
  // Of a campaign that is there when the simulation begins:
  std::int64_t id = 0;           ///< in the database; 0: it is not there
  std::int64_t live = 0;         ///< of its tasks, those that have a job already: the first ones
  bool paused = false;           ///< its bag stays closed
  double braked = 0;             ///< seconds from the beginning
  std::string evidence;          ///< what its durations rest on, for people
  std::int64_t seen = 0;         ///< jobs that show them
  /// Tasks that one job does, one after the other: a bag that is too big to be played task by task.
  std::int64_t group = 1;
};

struct Scenario {
  std::uint64_t seed = 1;
  std::optional<double> length;  ///< seconds; nothing: until the last campaign is over
  double cycle_work = 0.2;       ///< seconds of a cycle from the status to the first submission
  process::Config config;        ///< the grid's configuration
  std::map<std::string, std::string> settings;  ///< what it differs by from the defaults
  std::vector<ClusterSpec> clusters;
  std::vector<CampaignSpec> campaigns;
  std::map<std::string, double> shares;  ///< of users, for the fair-share policies
  store::PolicyFacts policies;           ///< as they are when the simulation begins: days are counted back from then
  std::optional<double> give_up;         ///< seconds without a job of ours, after which none is expected any more
};

}  // namespace gleaner::gridsim
