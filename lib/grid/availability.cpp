#include "lib/grid/availability.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>

namespace gleaner::grid {
namespace {

int utilized_of(const NodeUse& node) {
  if (!(node.load > 0.0)) return 0;  // no number, too
  return node.load >= node.configured ? std::max(0, node.configured) : static_cast<int>(std::lround(node.load));
}

int taken(Availability policy, const NodeUse& node) {
  switch (policy) {
    case Availability::utilized: return utilized_of(node);
    case Availability::combined: return std::max(node.dedicated, utilized_of(node));
    case Availability::dedicated: break;
  }
  return node.dedicated;
}

}  // namespace

bool is_property_name(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](unsigned char c) { return c < 0x80 && (std::isalnum(c) != 0 || c == '_'); });
}

int available(Availability policy, const NodeUse& node) {
  const int configured = std::max(0, node.configured);
  return configured - std::clamp(taken(policy, node), 0, configured);
}

ClusterLoad load_by_node(std::span<const NodeUse> nodes) {
  auto load = load_in_all(nodes, 0);
  load.loaded = 0;
  for (const auto& node : nodes) load.loaded += available(Availability::dedicated, node) - available(Availability::combined, node);
  return load;
}

ClusterLoad load_in_all(std::span<const NodeUse> nodes, int held) {
  int utilized = 0;
  for (const auto& node : nodes) utilized += std::max(0, node.configured) - available(Availability::utilized, node);
  return {.utilized = utilized, .loaded = std::max(0, utilized - held)};
}

int available_resources(int free, int loaded) { return std::max(0, free - std::max(0, loaded)); }

}  // namespace gleaner::grid
