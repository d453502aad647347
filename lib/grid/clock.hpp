#pragma once
#include <chrono>

#include "lib/grid/time.hpp"

/// The one place from which programs take the time of their host. Ages that are stored are measured by the database's clock instead
/// (lib/store/clock.hpp). Real time remains where the kernel measures it: waits for children, signals, sockets and transfers.
namespace gleaner::grid {

/// A clock that a simulation puts in the place of the host's.
class TimeSource {
 public:
  virtual ~TimeSource() = default;
  [[nodiscard]] virtual Instant now() const = 0;
  /// The time of the clock that nobody sets.
  [[nodiscard]] virtual Instant steady() const { return now(); }
};
/// For this whole process; null: the host's clock again. The source lives as long as it is used.
void take_time_from(const TimeSource* source);

/// The time of day.
[[nodiscard]] Instant now();

/// A clock that never goes back, for limits of time within one process. Its instants are those of std::chrono::steady_clock.
struct SteadyClock {
  using duration = std::chrono::steady_clock::duration;
  using rep = duration::rep;
  using period = duration::period;
  using time_point = std::chrono::steady_clock::time_point;
  static constexpr bool is_steady = true;
  [[nodiscard]] static time_point now();
};

}  // namespace gleaner::grid
