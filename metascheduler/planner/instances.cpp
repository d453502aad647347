#include "metascheduler/planner/instances.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "lib/grid/dust.hpp"
#include "lib/grid/named_nodes.hpp"

namespace gleaner::planner {
namespace {

using Nodes = Instances::Nodes;
using Kind = Instances::Kind;
using NodesBySize = std::map<int, int>;

/// Where it is not known: more than jobs take.
constexpr std::int64_t kMuch = std::numeric_limits<std::int64_t>::max() / 4;

void add(Nodes& nodes, const Kind& kind, std::int64_t count) {
  if (kind.free > 0 && count > 0) nodes[kind] += static_cast<int>(count);
}

NodesBySize counted_by_size(const grid::NodeSizes& sizes) {
  NodesBySize nodes;
  for (const auto& [resources, count] : sizes.by_size()) nodes[resources] += count;
  return nodes;
}

void remove(const grid::NodeSizes& some, NodesBySize& nodes) {
  for (const auto& [resources, count] : some.by_size()) {
    const auto found = nodes.find(resources);
    if (found != nodes.end() && (found->second -= count) <= 0) nodes.erase(found);
  }
}

/// A node of a size without jobs. If some of its resources are out of use, its memory is all there.
Kind empty_kind(int size, const ClusterView& cluster) {
  Kind kind{.free = size, .memory = kMuch, .share = 0};
  const auto& kinds = cluster.memory.kinds();
  const bool has_its_size = std::ranges::any_of(kinds, [&](const auto& one) { return one.first == size; });
  for (const auto& [resources, memory] : kinds) {
    const bool may_be = has_its_size ? resources == size : resources > size;
    if (may_be && memory < kind.memory) kind = {.free = size, .memory = memory, .share = memory / resources};
  }
  return kind;
}

/// A node in use: the least that may be left of the memory of one that has so many free resources.
Kind open_kind(int free, const ClusterView& cluster) {
  Kind kind{.free = free, .memory = kMuch, .share = 0};
  for (const auto& [resources, memory] : cluster.memory.kinds()) {
    if (resources < free) continue;
    const double share = static_cast<double>(memory) / resources;
    const double of_core = cluster.held_is_known ? cluster.held_core_mb : std::max(share, cluster.held_core_mb);
    const double left = static_cast<double>(memory) - (resources - free) * of_core;
    if (left >= static_cast<double>(kind.memory)) continue;
    kind.memory = static_cast<std::int64_t>(std::max(0.0, left));
    kind.share = static_cast<std::int64_t>(share);
  }
  return kind;
}

/// A node of this kind, after some of its resources were taken.
Kind after(const Kind& kind, std::int64_t resources, std::int64_t memory) {
  return {.free = kind.free - static_cast<int>(resources),
          .memory = kind.memory == kMuch ? kMuch : std::max<std::int64_t>(0, kind.memory - memory),
          .share = kind.share};
}

/// Part of a job on one node.
struct Part {
  int resources = 1;
  std::optional<std::int64_t> memory = {};  ///< MB; empty: it fits wherever the resources do

  [[nodiscard]] std::int64_t most_on(const Kind& kind) const {
    const std::int64_t by_resources = kind.free / resources;
    return memory ? std::min(by_resources, kind.memory / std::max<std::int64_t>(1, *memory)) : by_resources;
  }
  [[nodiscard]] Kind left_of(const Kind& kind, std::int64_t parts) const {
    return after(kind, parts * resources, parts * memory.value_or(kind.share * resources));
  }
};

/// Takes parts of nodes, on the fullest that hold one. @return parts that are left
/// @param most_of_node  parts that one node may give
/// @param rest          where nodes go that keep free resources
std::int64_t take_parts(Nodes& nodes, const Part& part, std::int64_t most_of_node, std::int64_t parts, Nodes& rest) {
  for (auto at = nodes.lower_bound({.free = part.resources}); at != nodes.end() && parts > 0;) {
    const auto [kind, count] = *at;
    const auto each = std::min(part.most_on(kind), most_of_node);
    if (each <= 0) {
      ++at;
      continue;
    }
    const auto full = std::min<std::int64_t>(count, parts / each);
    parts -= full * each;
    add(rest, part.left_of(kind, each), full);
    auto used = full;
    if (parts > 0 && full < count) {
      add(rest, part.left_of(kind, parts), 1);
      parts = 0;
      ++used;
    }
    at->second -= static_cast<int>(used);
    at = at->second == 0 ? nodes.erase(at) : std::next(at);
  }
  return parts;
}

std::int64_t take_whole(Nodes& nodes, std::int64_t count) {
  while (count > 0 && !nodes.empty()) {
    const auto first = nodes.begin();
    const auto taken = std::min<std::int64_t>(count, first->second);
    count -= taken;
    if ((first->second -= static_cast<int>(taken)) == 0) nodes.erase(first);
  }
  return count;
}

/// Takes resources, of the nodes with the fewest first. @return those that are left
/// @param rest  where a node goes that keeps free resources
std::int64_t take_any(Nodes& nodes, std::int64_t resources, Nodes& rest) {
  while (resources > 0 && !nodes.empty()) {
    const auto first = nodes.begin();
    const auto [kind, count] = *first;
    const auto full = std::min<std::int64_t>(count, resources / kind.free);
    resources -= full * kind.free;
    auto used = full;
    if (full < count && resources > 0) {
      add(rest, after(kind, resources, resources * kind.share), 1);
      resources = 0;
      ++used;
    }
    if ((first->second -= static_cast<int>(used)) == 0) nodes.erase(first);
  }
  return resources;
}

}  // namespace

Instances::Instances(const ClusterView& cluster) {
  if (!cluster.names_nodes) return;
  known_ = true;
  for (const auto& [size, count] : cluster.empty.by_size()) add(empty_, empty_kind(size, cluster), count);
  for (const auto& [size, count] : cluster.waking.by_size()) add(waking_, empty_kind(size, cluster), count);
  asleep_ = cluster.asleep;
  if (!cluster.nodes_free) {
    loose_ = std::max(0, cluster.free_resources - cluster.empty.resources() - cluster.waking.resources());
    return;
  }
  auto open = counted_by_size(*cluster.nodes_free);
  remove(cluster.empty, open);
  remove(cluster.waking, open);
  for (const auto& [free, count] : open) add(open_, open_kind(free, cluster), count);
}

void Instances::take(int jobs, int nodes, int of_each, std::optional<std::int64_t> memory) {
  if (!known_ || jobs <= 0 || nodes <= 0) return;
  std::int64_t parts = std::int64_t{jobs} * nodes;
  if (of_each <= 0) {
    take_whole(waking_, take_whole(empty_, parts));
    return;
  }
  // The nodes of one job differ.
  const auto most_of_node = nodes > 1 ? std::int64_t{jobs} : std::numeric_limits<std::int64_t>::max();
  if (memory) place(parts, of_each, most_of_node, memory);
  place(parts, of_each, most_of_node, {});
}

void Instances::place(std::int64_t& parts, int of_each, std::int64_t most_of_node, std::optional<std::int64_t> memory) {
  if (parts <= 0) return;
  const Part part{.resources = of_each, .memory = memory};
  Nodes rest;
  parts = take_parts(open_, part, most_of_node, parts, rest);
  const auto loose = std::min(parts, static_cast<std::int64_t>(loose_ / of_each));
  loose_ -= static_cast<double>(loose) * of_each;
  parts = take_parts(empty_, part, most_of_node, parts - loose, rest);
  parts = take_parts(waking_, part, most_of_node, parts, rest);
  for (const auto& [kind, count] : rest) open_[kind] += count;
}

void Instances::take(double resources) {
  if (!known_) return;
  auto left = static_cast<std::int64_t>(std::ceil(std::clamp(resources, 0.0, 1e9) - grid::kDust));
  Nodes rest;
  left = take_any(open_, left, rest);
  const auto loose = std::min(left, static_cast<std::int64_t>(loose_));
  loose_ -= static_cast<double>(loose);
  left = take_any(empty_, left - loose, rest);
  take_any(waking_, left, rest);
  for (const auto& [kind, count] : rest) open_[kind] += count;
}

grid::NodeSizes Instances::left_empty() const {
  auto left = asleep_;
  for (const auto* nodes : {&empty_, &waking_}) {
    for (const auto& [kind, count] : *nodes) left.add(kind.free, count);
  }
  return left;
}

grid::NodeSizes others_than(const grid::NodeSizes& left, const ClusterView& cluster) {
  NodesBySize all;
  for (const auto* sizes : {&cluster.open, &cluster.empty, &cluster.waking, &cluster.asleep}) {
    for (const auto& [resources, count] : sizes->by_size()) all[resources] += count;
  }
  remove(left, all);
  grid::NodeSizes others;
  for (const auto& [resources, count] : all) others.add(resources, count);
  return others;
}

bool names_fit(const grid::NodeSizes& left, const ClusterView& cluster) {
  const auto longest = static_cast<std::size_t>(std::max(0, cluster.longest_node_name));
  return grid::can_name(std::min(left.nodes(), others_than(left, cluster).nodes()), longest);
}

}  // namespace gleaner::planner
