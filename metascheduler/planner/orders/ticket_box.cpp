#include "metascheduler/planner/orders/ticket_box.hpp"

#include <bit>

namespace gleaner::planner {

void TicketBox::set(std::size_t holder, double tickets) {
  const double change = tickets - tickets_[holder];
  tickets_[holder] = tickets;
  for (auto i = holder + 1; i < sums_.size(); i += i & (~i + 1)) sums_[i] += change;
}

double TicketBox::all() const {
  double all = 0.0;
  for (auto i = tickets_.size(); i > 0; i &= i - 1) all += sums_[i];
  return all;
}

std::optional<std::size_t> TicketBox::draw(Draw& random) const {
  const double all_tickets = all();
  if (all_tickets <= 0.0) return std::nullopt;
  double at = fraction(random) * all_tickets;
  std::size_t found = 0;
  for (auto step = std::bit_floor(tickets_.size()); step > 0; step /= 2) {
    if (found + step >= sums_.size() || sums_[found + step] > at) continue;
    found += step;
    at -= sums_[found];
  }
  // Rounding may lead past the last holder, or to one who has just handed in the tickets.
  while (found < tickets_.size() && tickets_[found] <= 0.0) ++found;
  if (found < tickets_.size()) return found;
  while (found > 0 && tickets_[found - 1] <= 0.0) --found;
  return found > 0 ? std::optional{found - 1} : std::nullopt;
}

}  // namespace gleaner::planner
