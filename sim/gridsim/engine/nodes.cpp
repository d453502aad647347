#include "sim/gridsim/engine/nodes.hpp"

#include <algorithm>

#include "sim/gridsim/engine/agenda.hpp"

namespace gleaner::gridsim {

int width_of(const Shape& shape, int per_node) {
  if (shape.nodes == 0) return shape.per_node;
  return shape.nodes * (shape.per_node == 0 ? per_node : shape.per_node);
}

Nodes::Nodes(int nodes, int per_node, std::optional<double> sleep_after, double wake_delay)
    : per_node_{per_node},
      sleep_after_{sleep_after},
      free_(static_cast<std::size_t>(nodes), per_node),
      total_free_{nodes * per_node},
      idle_since_(static_cast<std::size_t>(nodes)),
      awake_since_(static_cast<std::size_t>(nodes)),
      ready_at_(static_cast<std::size_t>(nodes)),
      wake_delay_{wake_delay} {}

grid::Instant Nodes::falls_asleep(std::size_t node) const { return after(idle_since_[node], *sleep_after_); }

Nodes::Rest Nodes::rest_of(std::size_t node, grid::Instant now) const {
  if (free_[node] < per_node_) return Rest::open;
  return sleep_after_ && falls_asleep(node) <= now ? Rest::asleep : Rest::empty;
}

std::vector<Nodes::Rest> Nodes::rests(grid::Instant now) const {
  std::vector<Rest> all;
  for (std::size_t node = 0; node < free_.size(); ++node) all.push_back(rest_of(node, now));
  return all;
}

double Nodes::awake_until(grid::Instant now) const {
  double seconds = awake_;
  for (std::size_t node = 0; node < free_.size(); ++node)
    seconds += seconds_of(rest_of(node, now) == Rest::asleep ? falls_asleep(node) : now) - seconds_of(awake_since_[node]);
  return seconds;
}

std::optional<Nodes::Taken> Nodes::take(const Shape& shape, grid::Instant now, const Avoided& avoided) {
  if (width_of(shape, per_node_) > total_free_) return std::nullopt;
  auto shares = find(shape, now, avoided);
  if (!shares) return std::nullopt;
  Taken taken{.shares = std::move(*shares)};
  for (const auto& share : taken.shares) {
    const auto node = static_cast<std::size_t>(share.node);
    if (rest_of(node, now) == Rest::asleep) {
      awake_ += seconds_of(falls_asleep(node)) - seconds_of(awake_since_[node]);
      awake_since_[node] = now;
      ready_at_[node] = after(now, wake_delay_);
    }
    taken.wakes = std::max(taken.wakes, seconds_of(ready_at_[node]) - seconds_of(now));
    free_[node] -= share.resources;
    total_free_ -= share.resources;
  }
  return taken;
}

/// Nodes that are awake, then those that sleep.
std::optional<Shares> Nodes::find(const Shape& shape, grid::Instant now, const Avoided& avoided) const {
  const bool anywhere = shape.nodes == 0;
  const int per_node = shape.per_node == 0 ? per_node_ : shape.per_node;
  int left = anywhere ? shape.per_node : shape.nodes;  // resources, or nodes
  Shares shares;
  for (const bool asleep : {false, true}) {
    if (asleep && !sleep_after_) break;
    for (std::size_t node = 0; node < free_.size() && left > 0; ++node) {
      const int least = anywhere ? 1 : per_node;
      if (free_[node] < least || (avoided && (*avoided)[node]) || (rest_of(node, now) == Rest::asleep) != asleep) continue;
      const int taken = anywhere ? std::min(left, free_[node]) : per_node;
      shares.push_back({static_cast<int>(node), taken});
      left -= anywhere ? taken : 1;
    }
  }
  if (left > 0) return std::nullopt;
  return shares;
}

void Nodes::give_back(const Shares& shares, grid::Instant now) {
  for (const auto& share : shares) {
    const auto node = static_cast<std::size_t>(share.node);
    free_[node] += share.resources;
    total_free_ += share.resources;
    if (free_[node] == per_node_) idle_since_[node] = now;
  }
}

}  // namespace gleaner::gridsim
