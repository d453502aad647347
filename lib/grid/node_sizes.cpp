#include "lib/grid/node_sizes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <limits>

#include "lib/text/numbers.hpp"

namespace gleaner::grid {
namespace {

/// Sizes of one cluster. A node of a further size counts as the next smaller one.
constexpr std::size_t kMostSizes = 200;
/// More than any node has.
constexpr int kMostOfNode = 1'000'000;
constexpr std::int64_t kMostNodes = 1'000'000;

int bounded(std::int64_t value) { return static_cast<int>(std::min<std::int64_t>(value, std::numeric_limits<int>::max())); }

}  // namespace

std::optional<NodeSizes> NodeSizes::parse(std::string_view text) {
  NodeSizes sizes;
  while (!text.empty()) {
    const auto part = text.substr(0, text.find(' '));
    text.remove_prefix(std::min(text.size(), part.size() + 1));
    const auto times = part.find('x');
    if (times == part.npos) return std::nullopt;
    const auto resources = text::whole_number<int>(part.substr(0, times), 1);
    const auto nodes = text::whole_number<int>(part.substr(times + 1), 1);
    if (!resources || !nodes) return std::nullopt;
    sizes.add(*resources, *nodes);
  }
  return sizes;
}

void NodeSizes::add(int resources, int nodes) {
  if (resources <= 0 || nodes <= 0) return;
  auto found = sizes_.lower_bound(std::min(resources, kMostOfNode));
  if (sizes_.size() < kMostSizes) found = sizes_.try_emplace(std::min(resources, kMostOfNode), 0).first;
  if (found != sizes_.end()) found->second = static_cast<int>(std::min(std::int64_t{found->second} + nodes, kMostNodes));
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
