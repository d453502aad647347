#pragma once
#include <memory>
#include <optional>
#include <vector>

#include "lib/grid/named_nodes.hpp"
#include "lib/grid/node_sizes.hpp"
#include "lib/grid/time.hpp"
#include "sim/gridsim/engine/scenario.hpp"

namespace gleaner::gridsim {

/// Resources of one node that a job holds.
struct Share {
  int node = 0;
  int resources = 0;
};
using Shares = std::vector<Share>;

/// The nodes that a job is kept from; null: from none.
using Avoided = std::shared_ptr<const std::vector<bool>>;

/// The free resources of a cluster, node by node. A node without a job falls asleep after some time, and is woken for a job.
class Nodes {
 public:
  /// @param sleep_after  seconds; empty: no node sleeps
  /// @param wake_delay   seconds until a job runs on a node that slept
  Nodes(int nodes, int per_node, std::optional<double> sleep_after = {}, double wake_delay = 0);

  [[nodiscard]] int free() const { return total_free_; }
  [[nodiscard]] grid::NodeSizes sizes() const {
    grid::NodeSizes sizes;
    for (const int free : free_) sizes.add(free);
    return sizes;
  }
  using Rest = grid::NamedNode::Rest;
  [[nodiscard]] Rest rest_of(std::size_t node, grid::Instant now) const;
  [[nodiscard]] std::vector<Rest> rests(grid::Instant now) const;
  /// Node-seconds for which nodes were awake until now.
  [[nodiscard]] double awake_until(grid::Instant now) const;

  struct Taken {
    Shares shares;
    double wakes = 0;  ///< seconds until all of the nodes are awake
  };
  /// Takes the resources for a job of this shape, on the first nodes that have them, those that sleep last, like OAR. Empty: they are not
  /// free.
  [[nodiscard]] std::optional<Taken> take(const Shape& shape, grid::Instant now = {}, const Avoided& avoided = {});
  void give_back(const Shares& shares, grid::Instant now);

 private:
  [[nodiscard]] std::optional<Shares> find(const Shape& shape, grid::Instant now, const Avoided& avoided) const;
  [[nodiscard]] grid::Instant falls_asleep(std::size_t node) const;

  int per_node_;
  std::optional<double> sleep_after_;
  std::vector<int> free_;
  int total_free_;
  std::vector<grid::Instant> idle_since_;   ///< of nodes without a job
  std::vector<grid::Instant> awake_since_;  ///< since its last sleep
  std::vector<grid::Instant> ready_at_;     ///< it is awake then
  double wake_delay_;
  double awake_ = 0;  ///< node-seconds before these
};

/// Resources of a job of this shape, on nodes of this size.
[[nodiscard]] int width_of(const Shape& shape, int per_node);

}  // namespace gleaner::gridsim
