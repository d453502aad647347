#include "lib/grid/share_tree.hpp"

#include <algorithm>
#include <set>

#include "lib/grid/usage.hpp"

namespace gleaner::grid {
namespace {

using UsageDays = std::vector<double>;

void add_day(UsageDays& days, const UsageOfDay& usage, const UsageWindow& window) {
  if (usage.days_ago < 0 || usage.days_ago >= window.days) return;
  days.resize(static_cast<std::size_t>(window.days), 0.0);
  days[static_cast<std::size_t>(usage.days_ago)] += usage.resource_seconds / window.resource_day;
}

std::vector<ShareNode> declared_nodes(const std::vector<Share>& shares) {
  std::vector<ShareNode> nodes;
  std::map<std::int64_t, int> index;
  for (const auto& share : shares) {
    index.emplace(share.id, static_cast<int>(nodes.size()));
    nodes.push_back({.name = share.name,
                     .parent = share.parent ? index.at(*share.parent) : -1,
                     .shares = share.shares,
                     .is_user = share.is_user,
                     .is_group = share.is_group});
  }
  return nodes;
}

/// Adds a node for each member of a group whose work or usage counts for the group.
void add_members(std::vector<ShareNode>& nodes, std::span<const UsageOfDay> usage, std::span<const Worker> workers) {
  if (std::ranges::none_of(nodes, &ShareNode::is_group)) return;
  std::set<std::pair<int, std::string>> members;
  {
    const ShareTree tree{nodes};
    const auto note = [&](std::string_view user, std::span<const std::string> groups, std::string_view project) {
      const int node = tree.node_of(user, groups, project);
      if (node >= 0 && nodes[static_cast<std::size_t>(node)].is_group) members.emplace(node, std::string{user});
    };
    for (const auto& worker : workers) note(worker.user, worker.groups, worker.project);
    for (const auto& used : usage) note(used.user, used.groups, used.project);
  }
  for (const auto& [group, user] : members) nodes.push_back({.name = user, .parent = group, .shares = 1.0, .is_user = true});
}

void add_usage(std::vector<ShareNode>& nodes, std::span<const UsageOfDay> usage, const UsageWindow& window) {
  const ShareTree tree{nodes};
  std::vector<UsageDays> days(nodes.size());
  for (const auto& used : usage) {
    for (int node = tree.node_of(used.user, used.groups, used.project); node >= 0; node = nodes[static_cast<std::size_t>(node)].parent)
      add_day(days[static_cast<std::size_t>(node)], used, window);
  }
  for (std::size_t i = 0; i < nodes.size(); ++i) nodes[i].usage = decayed_usage(days[i], window.decay);
}

}  // namespace

ShareTree::ShareTree(const std::vector<ShareNode>& nodes) : nodes_{nodes} {
  for (int i = 0; i < std::ssize(nodes); ++i) {
    const auto& node = nodes[static_cast<std::size_t>(i)];
    if (node.is_group) groups_.push_back(i);
    if (!node.is_user) has_branches_ = true;
    else if (node.parent >= 0 && nodes[static_cast<std::size_t>(node.parent)].is_group)
      members_.emplace(std::pair{node.parent, std::string_view{node.name}}, i);
    else own_[node.name].push_back(i);
  }
}

bool ShareTree::is_in(int node, std::string_view project) const {
  const auto parent = nodes_[static_cast<std::size_t>(node)].parent;
  if (parent < 0) return false;
  const auto& above = nodes_[static_cast<std::size_t>(parent)];
  return !above.is_group && above.name == project;
}

int ShareTree::node_of(std::string_view user, std::span<const std::string> groups, std::string_view project) const {
  const auto in_project = [&](int node) { return is_in(node, project); };
  const auto is_member = [&](int group) { return std::ranges::find(groups, nodes_[static_cast<std::size_t>(group)].name) != groups.end(); };
  const auto in_group = [&](int group) {
    const auto member = members_.find({group, user});
    return member == members_.end() ? group : member->second;
  };
  const auto own = own_.find(user);
  if (own != own_.end()) {
    if (const auto found = std::ranges::find_if(own->second, in_project); found != own->second.end()) return *found;
  }
  int first_group = -1;
  for (const int group : groups.empty() ? std::span<const int>{} : std::span{groups_}) {
    if (!is_member(group)) continue;
    if (in_project(group)) return in_group(group);
    if (first_group < 0) first_group = group;
  }
  if (own != own_.end()) return own->second.front();
  return first_group < 0 ? -1 : in_group(first_group);
}

bool ShareTree::is_in_project(std::string_view user, std::span<const std::string> groups, std::string_view project) const {
  if (!has_project(project)) return true;
  const auto is_project = [&](const ShareNode& node) { return !node.is_user && !node.is_group && node.name == project; };
  const auto is_below = [&](const ShareNode& node) {
    for (int at = node.parent; at >= 0; at = nodes_[static_cast<std::size_t>(at)].parent) {
      if (is_project(nodes_[static_cast<std::size_t>(at)])) return true;
    }
    return false;
  };
  return std::ranges::any_of(nodes_, [&](const ShareNode& node) {
    const bool is_theirs = node.is_group ? std::ranges::find(groups, node.name) != groups.end() : node.is_user && node.name == user;
    return is_theirs && is_below(node);
  });
}

bool ShareTree::has_project(std::string_view name) const {
  return std::ranges::any_of(nodes_, [&](const ShareNode& node) { return !node.is_user && !node.is_group && node.name == name; });
}

std::vector<double> share_parts(const std::vector<ShareNode>& nodes) {
  // A parent comes before its children.
  const auto place = [](int node) { return static_cast<std::size_t>(std::ptrdiff_t{node} + 1); };
  std::vector<double> of_siblings(nodes.size() + 1, 0.0), parts(nodes.size(), 0.0);
  for (const auto& node : nodes) of_siblings[place(node.parent)] += node.shares;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const auto& node = nodes[i];
    const double all = of_siblings[place(node.parent)];
    const double above = node.parent < 0 ? 1.0 : parts[static_cast<std::size_t>(node.parent)];
    parts[i] = all > 0.0 ? above * node.shares / all : 0.0;
  }
  return parts;
}

UsageWindow usage_window(int days, double decay, double resources) {
  constexpr double kDay = 86400.0;  // seconds
  return {.days = days, .decay = decay, .resource_day = std::max(1.0, resources) * kDay};
}

std::vector<ShareNode> used_tree(const std::vector<Share>& declared, std::span<const UsageOfDay> usage, std::span<const Worker> workers,
                                 const UsageWindow& window) {
  auto nodes = declared_nodes(declared);
  add_members(nodes, usage, workers);
  add_usage(nodes, usage, window);
  return nodes;
}

std::map<std::string, double> usage_by_user(std::span<const UsageOfDay> usage, const UsageWindow& window) {
  std::map<std::string, UsageDays> days;
  for (const auto& used : usage) add_day(days[used.user], used, window);
  std::map<std::string, double> all;
  for (const auto& [user, used] : days) all.emplace(user, decayed_usage(used, window.decay));
  return all;
}

}  // namespace gleaner::grid
