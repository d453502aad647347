#pragma once
#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

#include "lib/grid/time.hpp"
#include "lib/terminal/output.hpp"

/// Times in a form for people.
namespace gleaner::terminal {

/// `2026-11-20 18-14-56`, in local time, as CiGri's gridstat writes it.
[[nodiscard]] std::string submission_time(std::int64_t unix_seconds);
/// `2026-11-20 18:14:56`, in local time.
[[nodiscard]] std::string local_time(std::int64_t unix_seconds);
/// `18:14:56`, in local time, when it is within 12 hours of now, else `2026-11-20 18:14:56`.
[[nodiscard]] std::string near_time(std::int64_t unix_seconds, grid::Instant now);
/// A time: for people as near_time() has it, for programs as text::utc() writes it.
[[nodiscard]] Cell time_cell(grid::Instant time, grid::Instant now);
/// The text of the grid, in which times like `2026-11-20 18:14:56 UTC` are as near_time() has them.
[[nodiscard]] std::string in_local_times(std::string_view text, grid::Instant now);
/// The two biggest units, without one that is 0: `3 d 4 h`, `2 h 5 min`, `5 min`, `12 s`.
[[nodiscard]] std::string length(std::chrono::seconds duration);
/// `5 min 30 s ago`.
[[nodiscard]] std::string ago(std::chrono::microseconds duration);

}  // namespace gleaner::terminal
