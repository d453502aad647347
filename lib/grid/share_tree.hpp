#pragma once
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lib/grid/policy_facts.hpp"

namespace gleaner::grid {

/// A node of the tree of projects, groups and users; the root is not listed.
struct ShareNode {
  std::string name;
  int parent = -1;      ///< its index in the list, smaller than its own; -1: the root
  double shares = 1.0;  ///< against its siblings
  double usage = 0.0;   ///< of all that is below it, in days of the whole grid
  bool is_user = false;
  bool is_group = false;  ///< a unix group; its children are its members
};

/// The users in the tree of shares: those with a node of their own, and the members of unix groups.
class ShareTree {
 public:
  /// Refers to the nodes.
  explicit ShareTree(const std::vector<ShareNode>& nodes);

  /// The node that a user's work in a project counts for: the user's own in the project, else that of a group of the user in the project,
  /// else the user's first, else that of the first group. In a group, it is the node of the member, or, while it has none, the group's.
  /// -1: the user is not in the tree. Cost: O(the user's nodes + the groups in the tree).
  [[nodiscard]] int node_of(std::string_view user, std::span<const std::string> groups, std::string_view project) const;
  /// Whether work of a user may count for a project that it names: the user, or a group of the user, is below the project, or no such
  /// project has shares.
  [[nodiscard]] bool is_in_project(std::string_view user, std::span<const std::string> groups, std::string_view project) const;
  /// Whether users are in projects or groups; else all of them are siblings.
  [[nodiscard]] bool has_branches() const { return has_branches_; }
  /// Whether a project of this name has shares.
  [[nodiscard]] bool has_project(std::string_view name) const;

 private:
  [[nodiscard]] bool is_in(int node, std::string_view project) const;

  const std::vector<ShareNode>& nodes_;
  std::map<std::string_view, std::vector<int>> own_;         ///< of users, by name
  std::vector<int> groups_;                                  ///< nodes of groups
  std::map<std::pair<int, std::string_view>, int> members_;  ///< by the group's node and the user
  bool has_branches_ = false;
};

/// The part of the grid that each node has, by its index: its shares among its siblings, times the part of its parent.
[[nodiscard]] std::vector<double> share_parts(const std::vector<ShareNode>& nodes);

/// Somebody with work in a project. Refers to the names.
struct Worker {
  std::string_view user;
  std::span<const std::string> groups;
  std::string_view project;
};

/// How usage is counted: the options fairshare_window and fairshare_decay.
struct UsageWindow {
  int days = 1;
  double decay = 1.0;
  double resource_day = 86400.0;  ///< resource-seconds that the whole grid has in a day
};
/// @param resources  of the whole grid
[[nodiscard]] UsageWindow usage_window(int days, double decay, double resources);

/// The declared tree with the usage of each node. A group gets a node for each member whose work or usage counts for it: the members have
/// equal shares of the group. Cost: O(workers + usage), each times the groups in the tree.
/// @param declared  parents before their children
[[nodiscard]] std::vector<ShareNode> used_tree(const std::vector<Share>& declared, std::span<const UsageOfDay> usage,
                                               std::span<const Worker> workers, const UsageWindow& window);

/// The usage of each user, in the tree or not, decayed, in days of the whole grid.
[[nodiscard]] std::map<std::string, double> usage_by_user(std::span<const UsageOfDay> usage, const UsageWindow& window);

}  // namespace gleaner::grid
