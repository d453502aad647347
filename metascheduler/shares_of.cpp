#include "metascheduler/shares_of.hpp"

#include <algorithm>
#include <map>

#include "lib/grid/share_tree.hpp"

namespace gleaner::metascheduler {
namespace {

using Nodes = std::vector<grid::ShareNode>;

const grid::DeclaredPriority* declared(const std::vector<grid::DeclaredPriority>& priorities, const std::string& name) {
  const auto found = std::ranges::find(priorities, name, &grid::DeclaredPriority::name);
  return found == priorities.end() ? nullptr : &*found;
}

/// The priority of the project that a campaign belongs to: the nearest above its user in the tree of shares that has one. Everybody
/// whose campaign names a project that is not in the tree is a member of it.
const grid::DeclaredPriority* project_priority(const planner::CampaignView& campaign, const Nodes& nodes, const grid::ShareTree& tree,
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
  const grid::ShareTree tree{snapshot.shares};
  for (auto& campaign : snapshot.campaigns) {
    if (const auto* found = project_priority(campaign, snapshot.shares, tree, facts.project_priorities)) campaign.project_priority = *found;
    if (const auto* found = group_priority(campaign, facts.group_priorities)) campaign.group_priority = *found;
  }
}

}  // namespace

void fill_shares(planner::Snapshot& snapshot, const grid::PolicyFacts& facts, const process::Config& config, double resources) {
  const auto window = grid::usage_window(config.fairshare_window, config.fairshare_decay, resources);
  std::vector<grid::Worker> workers;
  workers.reserve(snapshot.campaigns.size());
  for (const auto& campaign : snapshot.campaigns) workers.push_back({campaign.user, campaign.groups, campaign.project});
  snapshot.shares = grid::used_tree(facts.shares, facts.usage, workers, window);
  fill_priorities(snapshot, facts);
  std::map<std::string, planner::UserView> users;
  const auto user = [&](const std::string& name) -> planner::UserView& {
    auto& view = users[name];
    view.name = name;
    return view;
  };
  for (const auto& one : facts.priorities) user(one.user).priority = one.priority;
  const auto parts = grid::share_parts(snapshot.shares);
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (snapshot.shares[i].is_user) user(snapshot.shares[i].name).share += parts[i];
  }
  for (const auto& [name, used] : grid::usage_by_user(facts.usage, window)) user(name).usage = used;
  for (auto& [name, view] : users) snapshot.users.push_back(std::move(view));
}

}  // namespace gleaner::metascheduler
