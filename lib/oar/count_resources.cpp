#include <algorithm>
#include <map>

#include "lib/oar/parse.hpp"

namespace gleaner::oar {

Resources count_resources(const std::vector<ResourceLine>& lines, grid::Instant now) {
  Resources counted;
  std::map<std::string, std::size_t, std::less<>> places;
  std::map<std::string, int, std::less<>> reserved;
  for (const auto& line : lines) {
    if (!line.type.empty() && line.type != "default") {
      ++counted.others;
      continue;
    }
    if (!line.best_effort) {
      const bool wakes = line.state == "Absent" && line.available_until && *line.available_until > now;
      ++reserved[line.node];
      counted.reserved += !line.drained && (line.state == "Alive" || wakes) ? 1 : 0;
      continue;
    }
    const auto [place, is_new] = places.try_emplace(line.node, counted.nodes.size());
    if (is_new) {
      counted.nodes.push_back({.name = line.node});
    }
    Node& node = counted.nodes[place->second];
    const bool alive = line.state == "Alive" && !line.drained;
    const bool standby = !line.drained && line.state == "Absent" && line.available_until && *line.available_until > now;
    ++counted.total;
    ++node.resources;
    node.usable += alive || standby ? 1 : 0;
    counted.alive += alive ? 1 : 0;
    node.alive += alive ? 1 : 0;
    if (alive && line.load) node.load = std::max(node.load.value_or(0.0), *line.load);
    if (line.memory) node.memory = std::min(node.memory.value_or(*line.memory), *line.memory);
    counted.standby += standby ? 1 : 0;
    counted.absent_resources += !line.drained && line.state == "Absent" && !standby ? 1 : 0;
    counted.suspected_resources += !line.drained && line.state == "Suspected" ? 1 : 0;
    counted.dead_resources += line.drained || line.state == "Dead" ? 1 : 0;
  }
  for (const auto& [node, resources] : reserved) counted.reserved_nodes.add(resources);
  return counted;
}

}  // namespace gleaner::oar
