#include "lib/fleet/load.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace gleaner::fleet {

std::optional<std::string> load_property(const store::Cluster& cluster, const process::Config& config) {
  if (cluster.availability.value_or(config.availability) == grid::Availability::dedicated) return std::nullopt;
  return cluster.load_property.value_or(config.load_property);
}

std::string why_load_is_unknown(const std::string& property, const oar::Resources& resources) {
  if (property.empty()) return "no property of its resources is named that states the load of their nodes";
  const auto is_alive = [](const oar::Node& node) { return node.alive > 0; };
  const auto states_none = [&](const oar::Node& node) { return is_alive(node) && !node.load; };
  const auto first = std::ranges::find_if(resources.nodes, states_none);
  if (first == resources.nodes.end()) return {};
  return fmt::format("{} of {} nodes state no number from 0 in the property '{}' of their resources ({} is one)",
                     std::ranges::count_if(resources.nodes, states_none), std::ranges::count_if(resources.nodes, is_alive), property,
                     first->name);
}

}  // namespace gleaner::fleet
