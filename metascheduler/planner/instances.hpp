#pragma once
#include <compare>
#include <cstdint>
#include <map>
#include <optional>

#include "metascheduler/planner/snapshot.hpp"

namespace gleaner::planner {

/// The nodes of a cluster that best-effort jobs may use, while a plan is made. Jobs are counted on the first node that holds them in order
/// of fewest free resources; what fits on none in use opens the smallest empty one that does, and then one that sleeps. OAR chooses the
/// node in the end, among those that are not left empty. Source: document 000, `fit_jobs`, `allocate_new_instances` and
/// `release_empty_instances`.
///
/// A job whose memory is known (PairView::taken_mb) needs as much on its node, too. The memory that is left of a node is exact where the
/// cluster's nodes are alike, and our jobs of one kind hold all that is held. Elsewhere it is a lower bound: each core that is held counts
/// with the most that any of them may take, which is its share of the node or what the greatest of our running jobs takes. A job that fits
/// on no node so is counted by its cores alone, as OAR will start it.
class Instances {
 public:
  Instances() = default;
  explicit Instances(const ClusterView& cluster);

  /// Jobs of so many nodes each, with so many resources of each node, 0: the whole node.
  /// @param memory  of a job on one node, in MB; empty: the share of its resources, whatever is left
  void take(int jobs, int nodes, int of_each, std::optional<std::int64_t> memory = {});
  /// Takes resources of any nodes.
  void take(double resources);
  /// Nodes on which no job was counted, those that are left asleep included. Not known where nodes are not.
  [[nodiscard]] grid::NodeSizes left_empty() const;

  /// Nodes of a kind. Those with the fewest free resources come first.
  struct Kind {
    int free = 0;             ///< resources
    std::int64_t memory = 0;  ///< that is left, in MB
    std::int64_t share = 0;   ///< MB of each resource
    auto operator<=>(const Kind&) const = default;
  };
  using Nodes = std::map<Kind, int>;

 private:
  void place(std::int64_t& parts, int of_each, std::int64_t most_of_node, std::optional<std::int64_t> memory);

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
