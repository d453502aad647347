#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "lib/grid/planning_facts.hpp"
#include "lib/grid/time.hpp"
#include "lib/jdl/dependencies.hpp"
#include "lib/process/config.hpp"
#include "sim/gridsim/engine/distribution.hpp"

/// A checked scenario, as read from its file (docs/simulator.md describes every key).
namespace gleaner::gridsim {

/// A local job, which OAR serves before all best-effort ones.
struct LocalJob {
  double at = 0;        ///< seconds since the beginning
  double duration = 0;  ///< seconds
  int resources = 1;
};

/// Local users who submit jobs at random.
struct Synthetic {
  Distribution every;  ///< time between two arrivals
  Distribution duration;
  std::vector<int> resources;  ///< resources of a job: one of these, with equal probability
};
/// Local jobs of a trace in the Standard Workload Format, already read.
struct Trace {
  std::vector<LocalJob> jobs;
};
using LocalUsers = std::variant<std::monostate, Synthetic, Trace>;

/// A cluster. Its facts are the planner's input, as far as they do not change.
struct ClusterSpec : grid::ClusterFacts {
  int nodes = 1;
  int cores = 1;                               ///< resources of a node
  double speed = 1;                            ///< divisor of durations on this cluster
  std::optional<double> own_flood;             ///< empty: the configuration's
  std::optional<int> own_array_size;           ///< empty: the configuration's
  std::optional<grid::Headroom> own_headroom;  ///< empty: the configuration's
  double start_delay = 1.0;                    ///< seconds from OAR's decision until the job runs
  double start_rate = 2.0;                     ///< jobs that OAR starts per second
  double end_delay = 0.0;                      ///< seconds from a job's end until its resources are free
  double preemption_delay = 5.0;               ///< seconds until a preempted job has released its resources
  bool preemption_signal = true;               ///< OAR signals jobs with checkpoints before it preempts them
  std::optional<double> sleep_after;           ///< seconds without a job after which a node falls asleep; empty: none does
  double wake_delay = 120.0;                   ///< seconds until a job runs on a node that slept, beside its start_delay
  double serves_mb_s = 0.0;                    ///< that its file server really serves of our tasks' reads and writes; 0: all
  double api_latency = 0.2;                    ///< seconds that a submission or a deletion takes
  LocalUsers local;
  int held = 0;       ///< resources that others hold during the whole simulation
  double braked = 0;  ///< seconds from the beginning during which nothing is sent there
  [[nodiscard]] int resources() const { return nodes * cores; }
};

/// Resources of one job: `nodes` times `per_node`. With 0 nodes: `per_node` resources anywhere; with 0 per node: whole nodes.
struct Shape {
  int nodes = 0;
  int per_node = 1;
};

/// The state of a campaign on a cluster when the simulation begins.
struct PairState {
  struct Running {
    double age = 0;  ///< seconds
    int jobs = 0;
  };
  std::vector<Running> running;
  int queued = 0;     ///< jobs
  double braked = 0;  ///< seconds from the beginning
};

/// A campaign on one cluster.
struct CampaignOnCluster {
  std::size_t cluster = 0;  ///< in Scenario::clusters
  grid::PairFacts facts;    ///< its JDL's request, and the counters when the simulation begins
  Shape shape;
  int width = 1;  ///< resources that a job takes
  enum class Kind { best_effort, normal } kind = Kind::best_effort;
  std::optional<double> speed;  ///< speed of its tasks there; empty: the cluster's
  PairState state;
};

/// A campaign. Its facts are the planner's input, as far as they do not change. Its id is that in the database; 0: not stored.
struct CampaignSpec : grid::CampaignFacts {
  std::string name;
  std::optional<int> max_attempts;            ///< the most jobs for one task; empty: the configuration's
  double at = 0;                              ///< its submission, seconds since the beginning
  std::vector<jdl::Dependency> dependencies;  ///< as the scenario names them, by id or by name
  /// The same, as places in Scenario::campaigns. With `held_tasks`, as many are released as there are tasks done there, in proportion.
  struct First {
    grid::DependencyKind kind = grid::DependencyKind::after;
    std::size_t place = 0;
  };
  std::vector<First> first;
  std::int64_t tasks = 1;
  Distribution duration;          ///< of a task on a cluster of speed 1
  std::optional<double> io_mb_s;  ///< that a task reads and writes while nothing slows it down; empty: it is not known
  std::vector<CampaignOnCluster> clusters;
  // For a campaign that exists when the simulation begins:
  std::int64_t live = 0;  ///< tasks that have a job already: the first ones
  bool paused = false;    ///< true: no task is taken from its bag
  bool stuck = false;     ///< true: the same, as it waits for a campaign that does not end by itself
  double braked = 0;      ///< seconds from the beginning
  std::string evidence;   ///< the basis of its durations, for people
  std::int64_t seen = 0;  ///< jobs by which its durations are known
  /// Tasks that one job carries out, one after the other, if a bag is too big to be simulated task by task.
  std::int64_t group = 1;
  double starts = 1;  ///< jobs of OAR that these tasks would have
};

struct Scenario {
  std::uint64_t seed = 1;
  std::optional<double> length;                 ///< seconds; empty: until the last campaign is over
  double cycle_work = 0.2;                      ///< seconds of a cycle from the status to the first submission
  process::Config config;                       ///< the grid's configuration
  std::map<std::string, std::string> settings;  ///< settings that differ from the defaults
  std::vector<ClusterSpec> clusters;
  std::vector<CampaignSpec> campaigns;
  std::map<std::string, double> shares;  ///< of users, for the fair-share policies
  grid::PolicyFacts policies;            ///< as of the beginning of the simulation: days are counted back from then
  std::optional<double> give_up;         ///< seconds without a job of ours after which none is expected any more
};

}  // namespace gleaner::gridsim
