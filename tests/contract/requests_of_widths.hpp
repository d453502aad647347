#pragma once
#include <optional>
#include <string>
#include <vector>

#include "lib/grid/resource_fit.hpp"
#include "lib/oar/resources.hpp"

namespace gleaner::contract {

/// Requests of the shapes that a cluster knows. (OAR 3 never holds `ALL`.)
inline std::vector<std::string> requests_of_widths(const oar::Resources& resources) {
  std::vector<std::string> texts{"/nodes=1", "/host=1", "/nodes=2/core=2", "/cpu=1", "/core=1+/nodes=1/core=2"};
  if (resources.levels.of("gpu") != nullptr) texts.insert(texts.end(), {"/gpu=1", "/host=1/gpu=2", "/gpu=1+/core=1"});
  return texts;
}

/// Resources of one job of the request there.
inline std::optional<int> counted_as(const std::string& text, const oar::Resources& resources) {
  grid::NodeSizes nodes;
  for (const auto& node : resources.nodes) nodes.add(node.resources);
  const auto request = grid::ResourceRequest::parse(text);
  return request ? grid::resources_on(*request, nodes, resources.levels) : std::nullopt;
}

}  // namespace gleaner::contract
