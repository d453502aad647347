#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <tl/expected.hpp>

#include "lib/grid/flood.hpp"

/// The job ratio of a campaign on a cluster (jobs per resource), corrected each cycle by how the jobs just submitted fared. Source:
/// document 003, "Prediction Algorithms"; docs/prediction.md explains how its formulas were corrected.
namespace gleaner::prediction {

/// The jobs of one campaign on one cluster now, and the cluster itself. All numbers of jobs count this pair's jobs only.
struct QueueState {
  int running = 0;
  int waiting = 0;
  int free_resources = 0;  ///< resources free on the cluster, after the last cycle's jobs have started
  int max_resources = 0;
  double flood = 0.0;                               ///< the resources for which jobs may wait, as a fraction of max_resources
  grid::Starting starting = grid::Starting::stuck;  ///< `still`: waiting jobs may be about to take what is free
  std::optional<double> assigned_resources = {};    ///< mean of the resources that OAR assigned to the jobs that ran; empty: none ran
  std::optional<int> resources_per_job = {};        ///< as the JDL requests; empty: it does not state them
  double jobs_a_cycle = 1.0;                        ///< that one resource carries out, one after the other, until the next plan; >= 1
};

/// The jobs that the last cycle, and no earlier one, submitted for this pair.
struct LastCycle {
  double free_offered = 0.0;  ///< free resources in the offer (the OLD_FREE of the specification)
  int nsub = 0;               ///< jobs submitted; 0: no evidence
};

class Algorithm {
 public:
  virtual ~Algorithm() = default;
  [[nodiscard]] virtual std::string_view name() const = 0;

  /// The new ratio, within [1/max_resources, upper]. If `old` is outside these bounds, or not a number, it is first moved into them.
  [[nodiscard]] double next(double old, const LastCycle& last, const QueueState& queue, double upper) const;

 private:
  [[nodiscard]] virtual double propose(double old, const LastCycle& last, const QueueState& queue) const = 0;
};

/// The algorithm of that name. Error: a message with the closest name that exists.
[[nodiscard]] tl::expected<const Algorithm*, std::string> find_algorithm(std::string_view name);
[[nodiscard]] std::vector<std::string_view> algorithm_names();

/// The algorithm if the configuration names none.
constexpr std::string_view kDefaultAlgorithm = "measured";
/// Jobs per resource: at most one. With a greater bound, more short jobs are submitted than there are resources, so that these stay busy
/// until the next cycle; the flood, counted at that ratio, still bounds the waiting jobs.
constexpr double kDefaultUpperBound = 1.0;

}  // namespace gleaner::prediction
