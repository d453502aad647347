#pragma once
#include <map>
#include <string>
#include <vector>

#include "metascheduler/planner/orders/order.hpp"

namespace gleaner::planner {

/// The users of the tree, the one to be served first at the head: at each level the siblings are
/// ranked by share / usage, both against their siblings, and a whole branch goes before the next;
/// branches that are level are ranked together, user by user. Source: spec/001, "fair-tree" (the
/// algorithm that Slurm describes under that name).
/// @param given  what a plan gave each node until now, in days of the whole grid, by its index
[[nodiscard]] std::vector<std::size_t> ranked_users(const std::vector<ShareNode>& tree, const std::vector<double>& given);

/// Shares in a tree of projects and users; the campaigns of users that the tree does not know come last.
class FairTree final : public CampaignOrder {
 public:
  [[nodiscard]] std::string_view name() const override { return "fairtree"; }
  [[nodiscard]] Needs needs() const override { return {.shares = true, .couples = false}; }
  [[nodiscard]] std::unique_ptr<Turns> turns(const Class& among) const override;
};

}  // namespace gleaner::planner
