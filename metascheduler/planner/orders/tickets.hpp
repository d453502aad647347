#pragma once
#include <random>
#include <vector>

#include "metascheduler/planner/orders/order.hpp"

namespace gleaner::planner {

/// The generator of the draws: the same numbers on every platform.
using Draw = std::mt19937_64;

/// Numbers of tickets, and draws among them, in O(log n).
class TicketBox {
 public:
  explicit TicketBox(std::size_t holders) : sums_(holders + 1, 0.0), tickets_(holders, 0.0) {}
  void set(std::size_t holder, double tickets);
  [[nodiscard]] double tickets(std::size_t holder) const { return tickets_[holder]; }
  /// Nothing if nobody holds a ticket.
  [[nodiscard]] std::optional<std::size_t> draw(Draw& random) const;

 private:
  [[nodiscard]] double all() const;
  std::vector<double> sums_;  ///< a binary indexed tree
  std::vector<double> tickets_;
};

/// The seven inputs of a campaign's ranking, each in [0, 1] against the others that take part
/// (priorities: against 7); the smaller the ranking, the more tickets.
struct Ranking {
  double user_priority = 0.0;
  double priority = 0.0;
  double wall_clock = 0.0;  ///< the longer it has been there, the smaller
  double cpu_time = 0.0;    ///< of its ended jobs
  double resources = 0.0;   ///< of its live jobs
  double creation = 0.0;    ///< its place in the order of creation
  double power = 0.0;       ///< of the clusters that its jobs hold
  [[nodiscard]] double sum() const { return user_priority + priority + wall_clock + cpu_time + resources + creation + power; }
};

/// A weighted random draw decides which campaign gets the next resources: tickets = sum of all rankings / own ranking. A campaign whose
/// one job took more than its slice sits out the draws that it wins until this is made up for: tickets share resources, not jobs. Source:
/// document 002, "Calculating Project Ranking", "Random Ticket Draw".
class Tickets final : public CampaignOrder {
 public:
  [[nodiscard]] std::string_view name() const override { return "tickets"; }
  [[nodiscard]] Needs needs() const override { return {.shares = true, .affinities = false}; }
  [[nodiscard]] std::unique_ptr<Turns> turns(const Class& among) const override;
};

}  // namespace gleaner::planner
