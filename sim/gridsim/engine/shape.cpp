#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "lib/grid/resource_request.hpp"
#include "sim/gridsim/engine/scenario_parts.hpp"

namespace gleaner::gridsim {
namespace {

/// OAR's usual names of a node.
constexpr std::array<std::string_view, 4> kNodeLevels{"nodes", "host", "network_address", "node"};
/// Levels above the nodes; a simulated cluster has one of each.
constexpr std::array<std::string_view, 3> kUpperLevels{"cluster", "switch", "site"};

bool is_one_of(std::span<const std::string_view> names, std::string_view name) { return std::ranges::find(names, name) != names.end(); }

}  // namespace

tl::expected<Shape, std::string> shape_of(const grid::ResourceRequest& request, const ClusterSpec& cluster) {
  Shape shape{.nodes = 0, .per_node = 1};
  bool counts_cores = false;
  for (const auto& level : request.levels()) {
    if (is_one_of(kUpperLevels, level.property)) {
      if (level.count.value_or(1) != 1)
        return tl::unexpected{fmt::format("'{}' asks for several {}s, and a simulated cluster has one", request.text(), level.property)};
    } else if (is_one_of(kNodeLevels, level.property)) {
      shape.nodes = level.count.value_or(cluster.nodes);
    } else {
      counts_cores = true;
      if (!level.count) return Shape{.nodes = shape.nodes == 0 ? cluster.nodes : shape.nodes, .per_node = 0};
      shape.per_node *= *level.count;
    }
  }
  if (const auto total = request.resources(); total && shape.nodes == 0) shape.per_node = *total;
  if (shape.nodes > 0 && !counts_cores) shape.per_node = 0;
  return shape;
}

}  // namespace gleaner::gridsim
