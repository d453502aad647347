#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <tl/expected.hpp>

#include "lib/grid/flood.hpp"

/// How many jobs a free resource is worth: the job ratio of a campaign on a cluster (jobs per
/// resource), corrected each cycle by what became of the jobs just submitted. Source: spec/003,
/// "Prediction Algorithms"; how its formulas were mended is told in docs/prediction.md.
namespace gleaner::prediction {

/// The jobs of one campaign on one cluster now, and the cluster itself. All counts of jobs are of
/// this campaign on this cluster.
struct QueueState {
  int running = 0;
  int waiting = 0;
  int free_resources = 0;  ///< on the cluster, after what the last cycle submitted has started
  int max_resources = 0;
  double flood = 0.0;                               ///< what may wait, a fraction of max_resources
  grid::Starting starting = grid::Starting::stuck;  ///< `still`: waiting jobs may be about to take what is free
  std::optional<double> assigned_resources = {};    ///< mean of what OAR gave the jobs that ran
  std::optional<int> resources_per_job = {};        ///< of the JDL's request, when it says it
};

/// What the last cycle, and no earlier one, submitted for this campaign on this cluster.
struct LastCycle {
  double free_offered = 0.0;  ///< free resources in the offer (the OLD_FREE of the specification)
  int nsub = 0;               ///< jobs submitted; 0: there is nothing to learn from
};

/// The ratio of a campaign that has no forecast yet: one job takes what the JDL says, or one
/// resource.
[[nodiscard]] double first_ratio(std::optional<int> resources_per_job);

class Algorithm {
 public:
  virtual ~Algorithm() = default;
  [[nodiscard]] virtual std::string_view name() const = 0;

  /// The new ratio, within [1/max_resources, upper]. `old` out of these bounds, or not a number,
  /// is brought into them first.
  [[nodiscard]] double next(double old, const LastCycle& last, const QueueState& queue, double upper) const;

 private:
  [[nodiscard]] virtual double propose(double old, const LastCycle& last, const QueueState& queue) const = 0;
};

/// The algorithm of that name; the error gives the closest name that exists.
[[nodiscard]] tl::expected<const Algorithm*, std::string> find_algorithm(std::string_view name);
[[nodiscard]] std::vector<std::string_view> algorithm_names();

/// What is chosen when the configuration says nothing.
constexpr std::string_view kDefaultAlgorithm = "measured";
/// A resource is worth one job at most. A greater bound lets the algorithms that double send more short jobs than there are resources,
/// so that these have work until the next cycle; the flood, counted at that ratio, still bounds what waits.
constexpr double kDefaultUpperBound = 1.0;

}  // namespace gleaner::prediction
