#pragma once
#include <optional>
#include <string>
#include <vector>

#include "sim/gridsim/engine/simulation.hpp"
#include "sim/gridsim/omniscient.hpp"
#include "sim/gridsim/quality.hpp"

namespace gleaner::gridsim {

/// How long local jobs waited, from their arrival until they started. Seconds.
struct LocalWaits {
  std::int64_t jobs = 0;  ///< that started
  double sum = 0;
  double p95 = 0;  ///< 95 % of them waited no longer
  double longest = 0;

  [[nodiscard]] std::optional<double> mean() const { return jobs > 0 ? std::optional{sum / static_cast<double>(jobs)} : std::nullopt; }
};
[[nodiscard]] LocalWaits local_waits_of(std::vector<double> seconds);

/// Resource-seconds of one cluster over the whole simulation. They add up: capacity = local + used +
/// wasted + overhead + idle.
struct ClusterMetrics {
  std::string name;
  int resources = 0;
  double capacity = 0;
  double local = 0;
  double used = 0;      ///< by the grid's jobs that succeeded, or still ran at the end
  double wasted = 0;    ///< by the grid's jobs that were killed, since their last checkpoints
  double overhead = 0;  ///< held by the grid's jobs while OAR started and ended them, and while they wrote checkpoints
  double idle = 0;
  double awake = 0;            ///< node-seconds for which nodes were awake
  std::int64_t submitted = 0;  ///< jobs
  LocalWaits local_waits = {};
  LocalWaits local_waits_alone = {};                  ///< the same without the grid
  std::optional<std::int64_t> submitted_before_full;  ///< jobs, until 90 % of the resources were in use
};

struct CampaignMetrics {
  std::string name;
  std::string user;
  std::int64_t tasks = 0;
  std::int64_t done = 0;
  std::int64_t failed = 0;
  double used = 0;                 ///< resource-seconds
  double submitted = 0;            ///< seconds since the beginning
  std::optional<double> flow;      ///< seconds from its submission until the grid knew its end
  std::optional<double> slowdown;  ///< flow / the least time that it would take alone, by the omniscient bound
};

struct Metrics {
  double end = 0;  ///< seconds simulated
  bool complete = false;
  std::vector<ClusterMetrics> clusters;
  std::vector<CampaignMetrics> campaigns;
  ClusterMetrics all;  ///< sums over the clusters; submitted_before_full is the greatest
  Omniscient omniscient;
  double achieved = 0;             ///< useful resource-seconds (at speed 1) until omniscient.until
  std::optional<double> makespan;  ///< seconds from the first submission to the end of the last job
  std::optional<double> mean_flow;
  std::optional<double> mean_slowdown;
  std::optional<double> fairness;  ///< Jain's index over users
  std::int64_t preempted = 0;      ///< jobs killed by local jobs
  std::int64_t wiped = 0;          ///< waiting jobs taken back
  std::int64_t walltime_kills = 0;
  std::int64_t cycles = 0;
  PlanQuality quality;

  /// The fraction of all resources that was in use, by anybody.
  [[nodiscard]] double utilisation() const { return all.capacity > 0 ? 1 - all.idle / all.capacity : 0; }
  /// The fraction of the omniscient scheduler's use that was achieved.
  [[nodiscard]] double efficiency() const { return omniscient.work > 0 ? achieved / omniscient.work : 1; }
  /// The fraction of the grid's use that was lost in killed jobs.
  [[nodiscard]] double waste() const { return all.used + all.wasted > 0 ? all.wasted / (all.used + all.wasted) : 0; }
};

/// The fraction of resources in use from which a cluster counts as full.
inline constexpr double kFull = 0.9;

/// Whether the work of a job that is over was lost.
[[nodiscard]] bool was_lost(const Job& job);
/// The time for which a job's command ran, in seconds. The rest of it went into checkpoints.
struct Use {
  double useful = 0;  ///< if it was killed: what its last checkpoint holds
  double lost = 0;
};
[[nodiscard]] Use use_of(const Job& job, double until);
/// Seconds for which the job's command ran, until `until`.
[[nodiscard]] double seconds_run(const Job& job, double until);

[[nodiscard]] Metrics measure(const Scenario& scenario, const Outcome& outcome);

/// Jain's index of the shares: 1 if all are equal, 1/n if one has everything.
[[nodiscard]] std::optional<double> jain(const std::vector<double>& got);

}  // namespace gleaner::gridsim
