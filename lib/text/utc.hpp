#pragma once
#include <chrono>
#include <optional>
#include <string>
#include <string_view>

/// Times in data that programs read. They have one form: RFC 3339 in UTC, to the second.
namespace gleaner::text {

/// `2026-11-20T18:14:56Z`; parts of a second are left out.
[[nodiscard]] std::string utc(std::chrono::sys_time<std::chrono::microseconds> instant);

/// Reads such a time, also with another offset (`+01:00`), and with parts of a second, which are left out. Empty: it is none.
[[nodiscard]] std::optional<std::chrono::sys_seconds> read_utc(std::string_view text);

}  // namespace gleaner::text
