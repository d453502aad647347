#pragma once
#include <chrono>

namespace gleaner::grid {

/// Instants are UTC; local time is used only for display.
using Instant = std::chrono::sys_time<std::chrono::microseconds>;
using Seconds = std::chrono::seconds;

[[nodiscard]] inline Instant from_unix(std::int64_t seconds) { return Instant{Seconds{seconds}}; }
[[nodiscard]] inline std::int64_t to_unix(Instant instant) { return std::chrono::floor<Seconds>(instant).time_since_epoch().count(); }

}  // namespace gleaner::grid
