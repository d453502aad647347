#pragma once
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "metascheduler/planner/snapshot.hpp"

namespace gleaner::planner {

/// The users in the tree of shares: those with a node of their own, and the members of unix groups.
class ShareTree {
 public:
  /// Refers to the nodes.
  explicit ShareTree(const std::vector<ShareNode>& nodes);

  /// The node that a user's work in a project counts for: the user's own in the project, else that of a group of the user in the project,
  /// else the user's first, else that of the first group. In a group, it is the node of the member, or, while it has none, the group's.
  /// -1: the user is not in the tree. Cost: O(the user's nodes + the groups in the tree).
  [[nodiscard]] int node_of(std::string_view user, const std::vector<std::string>& groups, std::string_view project) const;
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
[[nodiscard]] std::vector<double> parts_of(const std::vector<ShareNode>& nodes);

}  // namespace gleaner::planner
