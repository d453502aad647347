#include "sim/gridsim/engine/nodes.hpp"

#include <algorithm>

namespace gleaner::gridsim {

int width_of(const Shape& shape, int per_node) {
  if (shape.nodes == 0) return shape.per_node;
  return shape.nodes * (shape.per_node == 0 ? per_node : shape.per_node);
}

std::optional<Shares> Nodes::take(const Shape& shape) {
  auto shares =
      shape.nodes == 0 ? take_anywhere(shape.per_node) : take_nodes(shape.nodes, shape.per_node == 0 ? per_node_ : shape.per_node);
  if (!shares) return std::nullopt;
  for (const auto& share : *shares) {
    free_[static_cast<std::size_t>(share.node)] -= share.resources;
    total_free_ -= share.resources;
  }
  return shares;
}

std::optional<Shares> Nodes::take_anywhere(int resources) {
  if (resources > total_free_) return std::nullopt;
  Shares shares;
  for (std::size_t node = 0; resources > 0; ++node) {
    const int taken = std::min(resources, free_[node]);
    if (taken == 0) continue;
    shares.push_back({static_cast<int>(node), taken});
    resources -= taken;
  }
  return shares;
}

std::optional<Shares> Nodes::take_nodes(int nodes, int per_node) {
  if (nodes * per_node > total_free_) return std::nullopt;
  Shares shares;
  for (std::size_t node = 0; node < free_.size() && nodes > 0; ++node) {
    if (free_[node] < per_node) continue;
    shares.push_back({static_cast<int>(node), per_node});
    --nodes;
  }
  if (nodes > 0) return std::nullopt;
  return shares;
}

void Nodes::give_back(const Shares& shares) {
  for (const auto& share : shares) {
    free_[static_cast<std::size_t>(share.node)] += share.resources;
    total_free_ += share.resources;
  }
}

}  // namespace gleaner::gridsim
