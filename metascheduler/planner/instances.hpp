#pragma once
#include <map>

#include "metascheduler/planner/snapshot.hpp"

namespace gleaner::planner {

/// The nodes of a cluster that best-effort jobs may use, while a plan is made. Jobs are counted on the first node that holds them in order
/// of fewest free resources; what fits on none in use opens the smallest empty one that does, and then one that sleeps. OAR chooses the
/// node in the end, among those that are not left empty. Source: document 000, `fit_jobs`, `allocate_new_instances` and
/// `release_empty_instances`.
class Instances {
 public:
  Instances() = default;
  explicit Instances(const ClusterView& cluster);

  /// Jobs of so many nodes each, with so many resources of each node, 0: the whole node.
  void take(int jobs, int nodes, int of_each);
  /// Takes resources of any nodes.
  void take(double resources);
  /// Nodes on which no job was counted, those that are left asleep included. Not known where nodes are not.
  [[nodiscard]] grid::NodeSizes left_empty() const;

 private:
  using Nodes = std::map<int, int>;  ///< free resources → nodes, those with the fewest first

  bool known_ = false;
  Nodes open_;
  double loose_ = 0.0;  ///< free resources of nodes in use, where it is not known of which
  Nodes empty_;
  Nodes waking_;
  grid::NodeSizes asleep_;
};

/// The nodes of a cluster that OAR starts jobs on, without some that are empty.
[[nodiscard]] grid::NodeSizes others_than(const grid::NodeSizes& left, const ClusterView& cluster);

/// Whether a condition can name these nodes, or the others.
[[nodiscard]] bool names_fit(const grid::NodeSizes& left, const ClusterView& cluster);

}  // namespace gleaner::planner
