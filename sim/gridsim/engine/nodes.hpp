#pragma once
#include <optional>
#include <vector>

#include "lib/grid/node_sizes.hpp"
#include "sim/gridsim/engine/scenario.hpp"

namespace gleaner::gridsim {

/// Resources of one node that a job holds.
struct Share {
  int node = 0;
  int resources = 0;
};
using Shares = std::vector<Share>;

/// The free resources of a cluster, node by node.
class Nodes {
 public:
  Nodes(int nodes, int per_node) : per_node_{per_node}, free_(static_cast<std::size_t>(nodes), per_node), total_free_{nodes * per_node} {}

  [[nodiscard]] int free() const { return total_free_; }
  [[nodiscard]] grid::NodeSizes sizes() const {
    grid::NodeSizes sizes;
    for (const int free : free_) sizes.add(free);
    return sizes;
  }
  /// Takes the resources for a job of this shape, on the first nodes that have them, like OAR. Empty: they are not free.
  [[nodiscard]] std::optional<Shares> take(const Shape& shape);
  void give_back(const Shares& shares);

 private:
  [[nodiscard]] std::optional<Shares> take_anywhere(int resources);
  [[nodiscard]] std::optional<Shares> take_nodes(int nodes, int per_node);

  int per_node_;
  std::vector<int> free_;
  int total_free_;
};

/// Resources of a job of this shape, on nodes of this size.
[[nodiscard]] int width_of(const Shape& shape, int per_node);

}  // namespace gleaner::gridsim
