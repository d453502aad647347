#pragma once
#include <cmath>
#include <cstdint>
#include <queue>
#include <vector>

#include "lib/grid/time.hpp"

namespace gleaner::gridsim {

/// Seconds since the beginning of a simulation, to the microsecond, as the grid writes instants.
[[nodiscard]] inline grid::Instant instant_of(double seconds) {
  return grid::Instant{std::chrono::microseconds{static_cast<std::int64_t>(std::floor(seconds * 1e6 + 0.5))}};
}
[[nodiscard]] inline grid::Instant after(grid::Instant now, double seconds) { return now + (instant_of(seconds) - grid::Instant{}); }
[[nodiscard]] inline double seconds_of(grid::Instant instant) { return static_cast<double>(instant.time_since_epoch().count()) * 1e-6; }

/// An event: what happens, and to which object.
struct Event {
  enum class Kind {
    local_arrival,
    local_end,
    job_queued,
    job_runs,
    job_end,
    job_deleted,
    gave_way,
    freed,
    pool_closed,
    schedule,
    submission,
    cycle
  } kind;
  int cluster = 0;
  int job = 0;  ///< a job of ours, a local job, or a campaign
};

/// The virtual clock: events in order of time; simultaneous ones in the order in which they were added.
class Agenda {
 public:
  void add(grid::Instant time, Event event) { events_.push({time, noted_++, event}); }
  [[nodiscard]] bool empty() const { return events_.empty(); }
  [[nodiscard]] grid::Instant next_time() const { return events_.top().time; }
  Event pop() {
    const auto event = events_.top().event;
    now_ = events_.top().time;
    events_.pop();
    return event;
  }
  [[nodiscard]] grid::Instant now() const { return now_; }

 private:
  struct Entry {
    grid::Instant time;
    std::uint64_t number;
    Event event;
    bool operator<(const Entry& other) const { return time != other.time ? time > other.time : number > other.number; }
  };
  std::priority_queue<Entry> events_;
  std::uint64_t noted_ = 0;
  grid::Instant now_{};
};

}  // namespace gleaner::gridsim
