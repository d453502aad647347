#include "lib/terminal/times.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <ctime>

#include "lib/text/utc.hpp"

namespace gleaner::terminal {
namespace {

std::string formatted(std::int64_t unix_seconds, const char* format) {
  const std::time_t time{unix_seconds};
  std::tm parts{};
  if (::localtime_r(&time, &parts) == nullptr) return fmt::format("{}", unix_seconds);
  char buffer[64];
  const auto size = std::strftime(buffer, sizeof buffer, format, &parts);
  return {buffer, size};
}

}  // namespace

std::string submission_time(std::int64_t unix_seconds) { return formatted(unix_seconds, "%Y-%m-%d %H-%M-%S"); }
std::string local_time(std::int64_t unix_seconds) { return formatted(unix_seconds, "%Y-%m-%d %H:%M:%S"); }

std::string near_time(std::int64_t unix_seconds, grid::Instant now) {
  constexpr std::int64_t kHalfDay = 12 * 3600;
  return std::llabs(unix_seconds - grid::to_unix(now)) < kHalfDay ? formatted(unix_seconds, "%H:%M:%S") : local_time(unix_seconds);
}

Cell time_cell(grid::Instant time, grid::Instant now) { return {text::utc(time), near_time(grid::to_unix(time), now)}; }

std::string length(std::chrono::seconds duration) {
  const auto s = duration.count();
  const auto both = [](std::int64_t big, std::string_view unit, std::int64_t small, std::string_view small_unit) {
    return small == 0 ? fmt::format("{} {}", big, unit) : fmt::format("{} {} {} {}", big, unit, small, small_unit);
  };
  if (s < 0) return "0 s";
  if (s < 60) return fmt::format("{} s", s);
  if (s < 3600) return both(s / 60, "min", s % 60, "s");
  if (s < 86400) return both(s / 3600, "h", s % 3600 / 60, "min");
  return both(s / 86400, "d", s % 86400 / 3600, "h");
}

std::string in_local_times(std::string_view text, grid::Instant now) {
  constexpr std::string_view kZone{" UTC"};
  constexpr std::size_t kDate = std::string_view{"2026-11-20 18:14:56"}.size();
  std::string local;
  for (auto at = text.find(kZone); at != std::string_view::npos; at = text.find(kZone)) {
    std::tm parts{};
    const std::string date{at >= kDate ? text.substr(at - kDate, kDate) : std::string_view{}};
    const char* end = ::strptime(date.c_str(), "%Y-%m-%d %H:%M:%S", &parts);
    const bool is_time = !date.empty() && end != nullptr && *end == '\0';
    local += text.substr(0, is_time ? at - kDate : at + kZone.size());
    if (is_time) local += near_time(static_cast<std::int64_t>(::timegm(&parts)), now);
    text.remove_prefix(at + kZone.size());
  }
  return local.append(text);
}

std::string ago(std::chrono::microseconds duration) { return length(std::chrono::floor<std::chrono::seconds>(duration)) + " ago"; }

}  // namespace gleaner::terminal
