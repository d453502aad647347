#include "metascheduler/shares_of.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "lib/grid/usage.hpp"
#include "metascheduler/planner/share_tree.hpp"

namespace gleaner::metascheduler {
namespace {

using Days = std::vector<double>;
using Nodes = std::vector<planner::ShareNode>;

double decayed(const Days& days, const process::Config& config) { return grid::decayed_usage(days, config.fairshare_decay); }

void add(Days& days, const grid::UsageOfDay& usage, int window, double resource_day) {
  if (usage.days_ago < 0 || usage.days_ago >= window) return;
  days.resize(static_cast<std::size_t>(window), 0.0);
  days[static_cast<std::size_t>(usage.days_ago)] += usage.resource_seconds / resource_day;
}

Nodes declared_nodes(const std::vector<grid::Share>& shares) {
  Nodes nodes;
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

/// Adds a node for each member of a group whose campaigns or usage count for the group: the members have equal shares of it.
void add_members(Nodes& nodes, const std::vector<planner::CampaignView>& campaigns, const std::vector<grid::UsageOfDay>& usage) {
  if (std::ranges::none_of(nodes, &planner::ShareNode::is_group)) return;
  std::set<std::pair<int, std::string>> members;
  {
    const planner::ShareTree tree{nodes};
    const auto note = [&](const std::string& user, const std::vector<std::string>& groups, const std::string& project) {
      const int node = tree.node_of(user, groups, project);
      if (node >= 0 && nodes[static_cast<std::size_t>(node)].is_group) members.emplace(node, user);
    };
    for (const auto& campaign : campaigns) note(campaign.user, campaign.groups, campaign.project);
    for (const auto& used : usage) note(used.user, used.groups, used.project);
  }
  for (const auto& [group, user] : members) nodes.push_back({.name = user, .parent = group, .shares = 1.0, .is_user = true});
}

void add_usage(Nodes& nodes, const std::vector<grid::UsageOfDay>& usage, const process::Config& config, double resource_day) {
  const planner::ShareTree tree{nodes};
  std::vector<Days> days(nodes.size());
  for (const auto& used : usage) {
    for (int node = tree.node_of(used.user, used.groups, used.project); node >= 0; node = nodes[static_cast<std::size_t>(node)].parent)
      add(days[static_cast<std::size_t>(node)], used, config.fairshare_window, resource_day);
  }
  for (std::size_t i = 0; i < nodes.size(); ++i) nodes[i].usage = decayed(days[i], config);
}

const grid::DeclaredPriority* declared(const std::vector<grid::DeclaredPriority>& priorities, const std::string& name) {
  const auto found = std::ranges::find(priorities, name, &grid::DeclaredPriority::name);
  return found == priorities.end() ? nullptr : &*found;
}

/// The priority of the project that a campaign belongs to: the nearest above its user in the tree of shares that has one. Everybody
/// whose campaign names a project that is not in the tree is a member of it.
const grid::DeclaredPriority* project_priority(const planner::CampaignView& campaign, const Nodes& nodes, const planner::ShareTree& tree,
                                               const std::vector<grid::DeclaredPriority>& priorities) {
  for (int at = tree.node_of(campaign.user, campaign.groups, campaign.project); at >= 0; at = nodes[static_cast<std::size_t>(at)].parent) {
    const auto& node = nodes[static_cast<std::size_t>(at)];
    if (node.is_user || node.is_group) continue;
    if (const auto* found = declared(priorities, node.name)) return found;
  }
  return tree.has_project(campaign.project) ? nullptr : declared(priorities, campaign.project);
}

/// The highest one that a group of the campaign's user has.
const grid::DeclaredPriority* group_priority(const planner::CampaignView& campaign, const std::vector<grid::DeclaredPriority>& priorities) {
  const grid::DeclaredPriority* highest = nullptr;
  for (const auto& group : campaign.groups) {
    const auto* found = declared(priorities, group);
    if (found && (!highest || found->priority < highest->priority)) highest = found;
  }
  return highest;
}

void fill_priorities(planner::Snapshot& snapshot, const grid::PolicyFacts& facts) {
  if (facts.project_priorities.empty() && facts.group_priorities.empty()) return;
  const planner::ShareTree tree{snapshot.shares};
  for (auto& campaign : snapshot.campaigns) {
    if (const auto* found = project_priority(campaign, snapshot.shares, tree, facts.project_priorities)) campaign.project_priority = *found;
    if (const auto* found = group_priority(campaign, facts.group_priorities)) campaign.group_priority = *found;
  }
}

}  // namespace

void fill_shares(planner::Snapshot& snapshot, const grid::PolicyFacts& facts, const process::Config& config, double resources) {
  const double resource_day = std::max(1.0, resources) * 86400.0;
  snapshot.shares = declared_nodes(facts.shares);
  add_members(snapshot.shares, snapshot.campaigns, facts.usage);
  add_usage(snapshot.shares, facts.usage, config, resource_day);
  fill_priorities(snapshot, facts);
  std::map<std::string, planner::UserView> users;
  const auto user = [&](const std::string& name) -> planner::UserView& {
    auto& view = users[name];
    view.name = name;
    return view;
  };
  for (const auto& one : facts.priorities) user(one.user).priority = one.priority;
  const auto parts = planner::parts_of(snapshot.shares);
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (snapshot.shares[i].is_user) user(snapshot.shares[i].name).share += parts[i];
  }
  std::map<std::string, Days> days;
  for (const auto& usage : facts.usage) add(days[usage.user], usage, config.fairshare_window, resource_day);
  for (const auto& [name, used] : days) user(name).usage = decayed(used, config);
  for (auto& [name, view] : users) snapshot.users.push_back(std::move(view));
}

}  // namespace gleaner::metascheduler
