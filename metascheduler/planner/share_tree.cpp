#include "metascheduler/planner/share_tree.hpp"

#include <algorithm>

namespace gleaner::planner {

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

int ShareTree::node_of(std::string_view user, const std::vector<std::string>& groups, std::string_view project) const {
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
  for (const int group : groups.empty() ? std::vector<int>{} : groups_) {
    if (!is_member(group)) continue;
    if (in_project(group)) return in_group(group);
    if (first_group < 0) first_group = group;
  }
  if (own != own_.end()) return own->second.front();
  return first_group < 0 ? -1 : in_group(first_group);
}

bool ShareTree::has_project(std::string_view name) const {
  return std::ranges::any_of(nodes_, [&](const ShareNode& node) { return !node.is_user && !node.is_group && node.name == name; });
}

std::vector<double> parts_of(const std::vector<ShareNode>& nodes) {
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

}  // namespace gleaner::planner
