#pragma once
#include <chrono>

#include "lib/grid/clock.hpp"

namespace gleaner::world {

/// The time of a world: it stands still but where the world moves it. The process has no other one while it lives (lib/grid/clock.hpp);
/// the database gets it with the next transaction (WorldDatabase).
class VirtualClock final : public grid::TimeSource {
 public:
  VirtualClock() { grid::take_time_from(this); }
  ~VirtualClock() override { grid::take_time_from(nullptr); }
  VirtualClock(const VirtualClock&) = delete;
  VirtualClock& operator=(const VirtualClock&) = delete;

  [[nodiscard]] grid::Instant now() const override { return now_; }
  /// Since the begin of the world.
  [[nodiscard]] double seconds() const { return std::chrono::duration<double>(now_ - begin()).count(); }
  void advance(std::chrono::microseconds time) { now_ += time; }
  /// An instant that has passed changes nothing.
  void advance_to(grid::Instant instant) { now_ = std::max(now_, instant); }

  /// Long past, so that the times that PostgreSQL itself takes (pg_stat_activity) are never old by this clock.
  [[nodiscard]] static grid::Instant begin() { return grid::from_unix(1'600'000'000); }

 private:
  grid::Instant now_ = begin();
};

}  // namespace gleaner::world
