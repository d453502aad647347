#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "lib/grid/planning_facts.hpp"
#include "lib/grid/time.hpp"
#include "lib/process/config.hpp"
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
  Distribution every;  ///< time between two arrivals
  Distribution duration;
  std::vector<int> resources;  ///< of a job: one of these, all as likely
};
/// Local jobs of a trace in the Standard Workload Format, read already.
struct Trace {
  std::vector<LocalJob> jobs;
};
using LocalUsers = std::variant<std::monostate, Synthetic, Trace>;

/// A cluster. Its facts are those that the planner gets, as far as they do not change.
struct ClusterSpec : grid::ClusterFacts {
  int nodes = 1;
  int cores = 1;                      ///< resources of a node
  double speed = 1;                   ///< by which durations are divided here
  std::optional<double> own_flood;    ///< empty: the configuration's
  std::optional<int> own_array_size;  ///< empty: the configuration's
  double start_delay = 1.0;           ///< seconds from OAR's decision until the job runs
  double start_rate = 2.0;            ///< jobs that OAR starts a second
  double end_delay = 0.0;             ///< seconds from a job's end until its resources are free
  double preemption_delay = 5.0;      ///< seconds until a best-effort job has given way
  double api_latency = 0.2;           ///< seconds of a submission or a deletion
  LocalUsers local;
  int held = 0;       ///< resources that others hold from the beginning to the end
  double braked = 0;  ///< seconds from the beginning for which nothing is sent there
  [[nodiscard]] int resources() const { return nodes * cores; }
};

/// Resources of one job: `nodes` times `per_node`; 0 nodes: `per_node` resources anywhere; 0 per node:
/// all of each.
struct Shape {
  int nodes = 0;
  int per_node = 1;
};

/// What a campaign does on a cluster when the simulation begins.
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
  grid::PairFacts facts;    ///< what its JDL asks, and the counters when the simulation begins
  Shape shape;
  int width = 1;  ///< resources that a job takes
  enum class Kind { best_effort, normal } kind = Kind::best_effort;
  std::optional<double> speed;  ///< of its tasks there, when it is not the cluster's
  PairState state;
};

/// A campaign. Its facts are those that the planner gets, as far as they do not change; its id is that in the database, 0: it has none.
struct CampaignSpec : grid::CampaignFacts {
  std::string name;
  std::optional<int> max_attempts;  ///< jobs for one task at most; empty: the configuration's
  double at = 0;                    ///< its submission, seconds since the beginning
  std::int64_t tasks = 1;
  Distribution duration;  ///< of a task on a cluster of speed 1
  std::vector<CampaignOnCluster> clusters;
  // Of a campaign that is there when the simulation begins:
  std::int64_t live = 0;  ///< of its tasks, those that have a job already: the first ones
  bool paused = false;    ///< its bag stays closed
  double braked = 0;      ///< seconds from the beginning
  std::string evidence;   ///< what its durations rest on, for people
  std::int64_t seen = 0;  ///< jobs that show them
  /// Tasks that one job does, one after the other: a bag that is too big to be played task by task.
  std::int64_t group = 1;
};

struct Scenario {
  std::uint64_t seed = 1;
  std::optional<double> length;                 ///< seconds; nothing: until the last campaign is over
  double cycle_work = 0.2;                      ///< seconds of a cycle from the status to the first submission
  process::Config config;                       ///< the grid's configuration
  std::map<std::string, std::string> settings;  ///< what it differs by from the defaults
  std::vector<ClusterSpec> clusters;
  std::vector<CampaignSpec> campaigns;
  std::map<std::string, double> shares;  ///< of users, for the fair-share policies
  grid::PolicyFacts policies;            ///< as they are when the simulation begins: days are counted back from then
  std::optional<double> give_up;         ///< seconds without a job of ours, after which none is expected any more
};

}  // namespace gleaner::gridsim
