#include <algorithm>
#include <map>
#include <utility>

#include "lib/oar/parse.hpp"

namespace gleaner::oar {

namespace {

/// Counts the resources with each value of each property, on each node.
class LevelCounts {
 public:
  void add(const ResourceLine& line, std::size_t node) {
    for (const auto& [name, value] : line.levels) {
      const auto [level, is_new] = levels_.try_emplace(name);
      ++level->second[value][node];
    }
  }

  [[nodiscard]] grid::LevelSizes sizes() {
    grid::LevelSizes all;
    for (auto& [name, values] : levels_) {
      drop_none(values);
      grid::LevelSizes::Sizes sizes;
      for (const auto& [value, nodes] : values) {
        int alone = 0;
        for (const auto& [node, resources] : nodes) {
          sizes.of_node.add(resources);
          alone += resources;
        }
        sizes.alone.add(alone);
      }
      all.add(name, std::move(sizes));
    }
    return all;
  }

 private:
  using Values = std::map<std::size_t, std::map<std::size_t, int>>;  ///< value → node → resources

  /// Zero means "none" where no node with it has another value, as of nodes without a GPU among others with some.
  static void drop_none(Values& values) {
    const auto zero = values.find(0);
    if (zero == values.end() || values.size() == 1) return;
    for (const auto& [value, nodes] : values) {
      if (value == 0) continue;
      for (const auto& [node, resources] : nodes) {
        if (zero->second.contains(node)) return;
      }
    }
    values.erase(zero);
  }

  std::map<std::string, Values> levels_;
};

}  // namespace

Resources count_resources(const std::vector<ResourceLine>& lines, grid::Instant now) {
  Resources counted;
  std::map<std::string, std::size_t, std::less<>> places;
  std::map<std::string, int, std::less<>> reserved;
  LevelCounts levels;
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
    levels.add(line, place->second);
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
  counted.levels = levels.sizes();
  for (const auto& [node, resources] : reserved) counted.reserved_nodes.add(resources);
  return counted;
}

}  // namespace gleaner::oar
