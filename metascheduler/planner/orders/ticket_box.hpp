#pragma once
#include <cstddef>
#include <optional>
#include <random>
#include <vector>

namespace gleaner::planner {

/// The generator of the draws: the same numbers on every platform.
using Draw = std::mt19937_64;

/// A random number in [0, 1), of 53 bits: as many as a double holds.
[[nodiscard]] inline double fraction(Draw& random) { return static_cast<double>(random() >> 11) * 0x1.0p-53; }

/// Numbers of tickets, and draws among them, in O(log n).
class TicketBox {
 public:
  explicit TicketBox(std::size_t holders) : sums_(holders + 1, 0.0), tickets_(holders, 0.0) {}
  void set(std::size_t holder, double tickets);
  [[nodiscard]] double tickets(std::size_t holder) const { return tickets_[holder]; }
  [[nodiscard]] double all() const;
  /// Nothing if nobody holds a ticket.
  [[nodiscard]] std::optional<std::size_t> draw(Draw& random) const;

 private:
  std::vector<double> sums_;  ///< a binary indexed tree
  std::vector<double> tickets_;
};

}  // namespace gleaner::planner
