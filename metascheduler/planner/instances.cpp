#include "metascheduler/planner/instances.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "lib/grid/dust.hpp"
#include "lib/grid/named_nodes.hpp"

namespace gleaner::planner {
namespace {

using NodesBySize = std::map<int, int>;

void add(NodesBySize& nodes, int resources, int count) {
  if (resources > 0 && count > 0) nodes[resources] += count;
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

/// Takes parts of nodes, on the fullest that hold one. @return parts that are left
/// @param most_of_node  parts that one node may give
/// @param rest          where nodes go that keep free resources
std::int64_t take_parts(NodesBySize& nodes, int least, std::int64_t most_of_node, std::int64_t parts, NodesBySize& rest) {
  NodesBySize kept;
  for (auto at = nodes.lower_bound(least); at != nodes.end() && parts > 0;) {
    const auto [free, count] = *at;
    const auto each = std::min<std::int64_t>(free / least, most_of_node);
    const auto full = std::min<std::int64_t>(count, parts / each);
    parts -= full * each;
    add(kept, free - static_cast<int>(each) * least, static_cast<int>(full));
    auto used = full;
    if (parts > 0 && full < count) {
      add(kept, free - static_cast<int>(parts) * least, 1);
      parts = 0;
      ++used;
    }
    at->second -= static_cast<int>(used);
    at = at->second == 0 ? nodes.erase(at) : std::next(at);
  }
  for (const auto& [free, count] : kept) rest[free] += count;
  return parts;
}

std::int64_t take_whole(NodesBySize& nodes, std::int64_t count) {
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
std::int64_t take_any(NodesBySize& nodes, std::int64_t resources, NodesBySize& rest) {
  while (resources > 0 && !nodes.empty()) {
    const auto first = nodes.begin();
    const auto [free, count] = *first;
    const auto full = std::min<std::int64_t>(count, resources / free);
    resources -= full * free;
    auto used = full;
    int kept = 0;
    if (full < count && resources > 0) {
      kept = free - static_cast<int>(resources);
      resources = 0;
      ++used;
    }
    if ((first->second -= static_cast<int>(used)) == 0) nodes.erase(first);
    add(rest, kept, 1);
  }
  return resources;
}

}  // namespace

Instances::Instances(const ClusterView& cluster) {
  if (!cluster.names_nodes) return;
  known_ = true;
  empty_ = counted_by_size(cluster.empty);
  waking_ = counted_by_size(cluster.waking);
  asleep_ = cluster.asleep;
  if (!cluster.nodes_free) {
    loose_ = std::max(0, cluster.free_resources - cluster.empty.resources() - cluster.waking.resources());
    return;
  }
  open_ = counted_by_size(*cluster.nodes_free);
  remove(cluster.empty, open_);
  remove(cluster.waking, open_);
}

void Instances::take(int jobs, int nodes, int of_each) {
  if (!known_ || jobs <= 0 || nodes <= 0) return;
  std::int64_t parts = std::int64_t{jobs} * nodes;
  if (of_each <= 0) {
    take_whole(waking_, take_whole(empty_, parts));
    return;
  }
  // The nodes of one job differ.
  const auto most_of_node = nodes > 1 ? std::int64_t{jobs} : std::numeric_limits<std::int64_t>::max();
  NodesBySize rest;
  parts = take_parts(open_, of_each, most_of_node, parts, rest);
  const auto loose = std::min(parts, static_cast<std::int64_t>(loose_ / of_each));
  loose_ -= static_cast<double>(loose) * of_each;
  parts = take_parts(empty_, of_each, most_of_node, parts - loose, rest);
  take_parts(waking_, of_each, most_of_node, parts, rest);
  for (const auto& [free, count] : rest) open_[free] += count;
}

void Instances::take(double resources) {
  if (!known_) return;
  auto left = static_cast<std::int64_t>(std::ceil(std::clamp(resources, 0.0, 1e9) - grid::kDust));
  NodesBySize rest;
  left = take_any(open_, left, rest);
  const auto loose = std::min(left, static_cast<std::int64_t>(loose_));
  loose_ -= static_cast<double>(loose);
  left = take_any(empty_, left - loose, rest);
  take_any(waking_, left, rest);
  for (const auto& [free, count] : rest) open_[free] += count;
}

grid::NodeSizes Instances::left_empty() const {
  auto left = asleep_;
  for (const auto* nodes : {&empty_, &waking_}) {
    for (const auto& [resources, count] : *nodes) left.add(resources, count);
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
