#include "metascheduler/shares_of.hpp"

#include <algorithm>
#include <map>

#include "lib/grid/usage.hpp"

namespace gleaner::metascheduler {
namespace {

using Days = std::vector<double>;

double decayed(const Days& days, const process::Config& config) { return grid::decayed_usage(days, config.fairshare_decay); }

void add(Days& days, const grid::UsageOfDay& usage, int window, double resource_day) {
  if (usage.days_ago < 0 || usage.days_ago >= window) return;
  days.resize(static_cast<std::size_t>(window), 0.0);
  days[static_cast<std::size_t>(usage.days_ago)] += usage.resource_seconds / resource_day;
}

/// The tree's nodes; usage of a user counts for the node in the project under which it was used, or,
/// when the user is in no project of that name, for the user's first node.
std::vector<planner::ShareNode> tree_of(const grid::PolicyFacts& facts, const process::Config& config, double resource_day) {
  std::vector<planner::ShareNode> tree;
  std::map<std::int64_t, int> index;
  for (const auto& share : facts.shares) {
    index.emplace(share.id, static_cast<int>(tree.size()));
    tree.push_back(
        {.name = share.name, .parent = share.parent ? index.at(*share.parent) : -1, .shares = share.shares, .is_user = share.is_user});
  }
  std::vector<Days> days(tree.size());
  for (const auto& usage : facts.usage) {
    int node = -1;
    for (int i = 0; i < std::ssize(tree); ++i) {
      const auto& one = tree[static_cast<std::size_t>(i)];
      if (!one.is_user || one.name != usage.user) continue;
      const bool of_project = one.parent >= 0 && tree[static_cast<std::size_t>(one.parent)].name == usage.project;
      if (of_project || node < 0) node = i;
      if (of_project) break;
    }
    for (; node >= 0; node = tree[static_cast<std::size_t>(node)].parent)
      add(days[static_cast<std::size_t>(node)], usage, config.fairshare_window, resource_day);
  }
  for (std::size_t i = 0; i < tree.size(); ++i) tree[i].usage = decayed(days[i], config);
  return tree;
}

double share_of(const std::vector<planner::ShareNode>& tree, std::size_t node) {
  double share = 1.0;
  for (auto at = static_cast<int>(node); at >= 0; at = tree[static_cast<std::size_t>(at)].parent) {
    const auto& one = tree[static_cast<std::size_t>(at)];
    double all = 0.0;
    for (const auto& sibling : tree) all += sibling.parent == one.parent ? sibling.shares : 0.0;
    share *= all > 0.0 ? one.shares / all : 0.0;
  }
  return share;
}

}  // namespace

void fill_shares(planner::Snapshot& snapshot, const grid::PolicyFacts& facts, const process::Config& config, double resources) {
  const double resource_day = std::max(1.0, resources) * 86400.0;
  snapshot.shares = tree_of(facts, config, resource_day);
  std::map<std::string, planner::UserView> users;
  const auto user = [&](const std::string& name) -> planner::UserView& {
    auto& view = users[name];
    view.name = name;
    return view;
  };
  for (const auto& one : facts.priorities) user(one.user).priority = one.priority;
  for (std::size_t i = 0; i < snapshot.shares.size(); ++i) {
    if (snapshot.shares[i].is_user) user(snapshot.shares[i].name).share += share_of(snapshot.shares, i);
  }
  std::map<std::string, Days> days;
  for (const auto& usage : facts.usage) add(days[usage.user], usage, config.fairshare_window, resource_day);
  for (const auto& [name, used] : days) user(name).usage = decayed(used, config);
  for (auto& [name, view] : users) snapshot.users.push_back(std::move(view));
}

}  // namespace gleaner::metascheduler
