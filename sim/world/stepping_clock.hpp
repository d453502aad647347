#pragma once
#include <chrono>
#include <string>
#include <vector>

#include "lib/grid/clock.hpp"
#include "sim/world/faults.hpp"
#include "sim/world/virtual_clock.hpp"

namespace gleaner::world {

/// A clock that is wrong for a while, again and again: it steps ahead or back by 10 s to an hour, and later to the right time. The seed
/// decides when.
class SteppingClock {
 public:
  /// @param whose    "host", "OAR" or "nodes", by which steps are counted
  /// @param subject  by which they are drawn
  SteppingClock(Faults& faults, std::string whose, const std::string& subject);

  struct Step {
    grid::Instant begin;
    grid::Instant end;
    std::chrono::seconds ahead;
    bool is_seen = false;
  };
  [[nodiscard]] const std::vector<Step>& steps() const { return steps_; }
  /// To the world's time; the first time that a step is seen counts.
  [[nodiscard]] std::chrono::seconds ahead(grid::Instant now);

 private:
  Faults& faults_;
  std::string whose_;
  std::vector<Step> steps_;
};

/// That of the host of the grid's programs.
class HostClock final : public grid::TimeSource {
 public:
  HostClock(const VirtualClock& clock, Faults& faults) : clock_{clock}, steps_{faults, "host", "host"} { grid::take_time_from(this); }
  ~HostClock() override { grid::take_time_from(&clock_); }
  HostClock(const HostClock&) = delete;
  HostClock& operator=(const HostClock&) = delete;

  [[nodiscard]] grid::Instant now() const override { return clock_.now() + steps_.ahead(clock_.now()); }
  [[nodiscard]] grid::Instant steady() const override { return clock_.now(); }

 private:
  const VirtualClock& clock_;
  mutable SteppingClock steps_;
};

}  // namespace gleaner::world
