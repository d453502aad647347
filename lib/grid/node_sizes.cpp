#include "lib/grid/node_sizes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <limits>

namespace gleaner::grid {
namespace {

std::optional<int> count(std::string_view text) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || value < 1) return std::nullopt;
  return value;
}

int bounded(std::int64_t value) { return static_cast<int>(std::min<std::int64_t>(value, std::numeric_limits<int>::max())); }

}  // namespace

std::optional<NodeSizes> NodeSizes::parse(std::string_view text) {
  NodeSizes sizes;
  while (!text.empty()) {
    const auto part = text.substr(0, text.find(' '));
    text.remove_prefix(std::min(text.size(), part.size() + 1));
    const auto times = part.find('x');
    if (times == part.npos) return std::nullopt;
    const auto resources = count(part.substr(0, times));
    const auto nodes = count(part.substr(times + 1));
    if (!resources || !nodes) return std::nullopt;
    sizes.add(*resources, *nodes);
  }
  return sizes;
}

void NodeSizes::add(int resources, int nodes) {
  if (resources > 0 && nodes > 0) sizes_[resources] = bounded(std::int64_t{sizes_[resources]} + nodes);
}

std::string NodeSizes::text() const {
  std::string text;
  for (const auto& [resources, nodes] : sizes_) text += fmt::format("{}{}x{}", text.empty() ? "" : " ", resources, nodes);
  return text;
}

int NodeSizes::resources() const {
  std::int64_t all = 0;
  for (const auto& [resources, nodes] : sizes_) all += std::int64_t{resources} * nodes;
  return bounded(all);
}

int NodeSizes::nodes_with(int resources) const {
  std::int64_t found = 0;
  for (const auto& [size, nodes] : sizes_) found += size >= resources ? nodes : 0;
  return bounded(found);
}

int NodeSizes::size_of(int nodes) const {
  std::int64_t found = 0;
  for (const auto& [size, of_it] : sizes_) {
    found += of_it;
    if (found >= nodes) return size;
  }
  return 0;
}

}  // namespace gleaner::grid
