#pragma once
#include "metascheduler/planner/orders/order.hpp"
#include "metascheduler/planner/orders/ticket_box.hpp"

namespace gleaner::planner {

/// The seven inputs of a campaign's ranking, each in [0, 1] against the others that take part
/// (priorities: against 7); the smaller the ranking, the more tickets. Two more inputs count where
/// administrators gave projects or groups a priority.
struct Ranking {
  double user_priority = 0.0;
  double priority = 0.0;
  double wall_clock = 0.0;  ///< the longer it has been there, the smaller
  double cpu_time = 0.0;    ///< of its ended jobs
  double resources = 0.0;   ///< of its live jobs
  double creation = 0.0;    ///< its place in the order of creation
  double power = 0.0;       ///< of the clusters that its jobs hold
  double project_priority = 0.0;
  double group_priority = 0.0;
  [[nodiscard]] double sum() const {
    return user_priority + priority + wall_clock + cpu_time + resources + creation + power + project_priority + group_priority;
  }
};

/// A weighted random draw decides which campaign gets the next resources: tickets = sum of all rankings / own ranking. A campaign whose
/// one job took more than its slice sits out the draws that it wins until this is made up for: tickets share resources, not jobs. Where
/// projects or groups have shares, the draw goes down their tree (ShareDraw). Source: document 002, "Calculating Project Ranking", "Random
/// Ticket Draw".
class Tickets final : public CampaignOrder {
 public:
  [[nodiscard]] std::string_view name() const override { return "tickets"; }
  [[nodiscard]] Needs needs() const override { return {.shares = true, .affinities = false}; }
  [[nodiscard]] bool draws_for_cores() const override { return true; }
  [[nodiscard]] std::unique_ptr<Turns> turns(const Class& among) const override;
};

}  // namespace gleaner::planner
