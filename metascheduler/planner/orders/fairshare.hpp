#pragma once
#include "metascheduler/planner/orders/order.hpp"

namespace gleaner::planner {

/// The user whose share is used least goes first; what is given counts as used at once, so that one
/// plan is shared too. Equal users: the bigger share, then the campaign that came first. Where projects or groups have shares, these are
/// compared first, by the same figures, from the root of the tree down; campaigns of users who are not in the tree have no share. Source:
/// document 001, "fair-share", "departments … each with three to nine major projects".
class FairShare final : public CampaignOrder {
 public:
  [[nodiscard]] std::string_view name() const override { return "fairshare"; }
  [[nodiscard]] Needs needs() const override { return {.shares = true, .affinities = false}; }
  [[nodiscard]] std::unique_ptr<Turns> turns(const Class& among) const override;
};

}  // namespace gleaner::planner
