#pragma once
#include <map>
#include <string>
#include <vector>

#include "metascheduler/planner/orders/order.hpp"

namespace gleaner::planner {

/// The users of the tree, the one to serve first at the head. At each level the siblings are ranked by share / usage, both relative to
/// their siblings, and a whole branch goes before the next; branches of equal rank are ranked together, user by user.
/// Source: document 001, "fair-tree" (the algorithm that Slurm describes under that name).
/// @param given  what the plan gave each node so far, in days of the whole grid, by its index
[[nodiscard]] std::vector<std::size_t> ranked_users(const std::vector<ShareNode>& tree, const std::vector<double>& given);

/// The node of each member's user, by the contender's index (ShareTree::node_of); -1: the user is not in the tree.
[[nodiscard]] std::vector<int> nodes_of(const Class& among);

/// Shares in a tree of projects, groups and users; campaigns of users who are not in the tree come last.
class FairTree final : public CampaignOrder {
 public:
  [[nodiscard]] std::string_view name() const override { return "fairtree"; }
  [[nodiscard]] Needs needs() const override { return {.shares = true, .affinities = false}; }
  [[nodiscard]] std::unique_ptr<Turns> turns(const Class& among) const override;
};

}  // namespace gleaner::planner
