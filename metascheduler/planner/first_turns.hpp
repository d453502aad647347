#pragma once
#include <memory>
#include <vector>

#include "metascheduler/planner/orders/order.hpp"

namespace gleaner::planner {

/// The contenders of a class in the order of their first turns.
class FirstTurns {
 public:
  explicit FirstTurns(std::size_t contenders) : has_turn_(contenders, false) {}
  void add(std::size_t contender) {
    if (has_turn_[contender]) return;
    has_turn_[contender] = true;
    order_.push_back(contender);
  }
  [[nodiscard]] const std::vector<std::size_t>& order() const { return order_; }

 private:
  std::vector<bool> has_turn_;
  std::vector<std::size_t> order_;
};

/// Adds the members of a class whose order draws, the one first that is most likely drawn first. Adds nobody where the order does not draw.
void add_by_chance(const Class& among, const Turns& turns, FirstTurns& first);

/// The same turns, which are noted as they come. `first` must outlive them.
[[nodiscard]] std::unique_ptr<Turns> noted(std::unique_ptr<Turns> turns, FirstTurns& first);

}  // namespace gleaner::planner
