#include "lib/terminal/times.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <ctime>

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

std::string length(std::chrono::seconds duration) {
  const auto s = duration.count();
  if (s < 0) return "0 s";
  if (s < 60) return fmt::format("{} s", s);
  if (s < 3600) return fmt::format("{} min {} s", s / 60, s % 60);
  if (s < 86400) return fmt::format("{} h {} min", s / 3600, s % 3600 / 60);
  return fmt::format("{} d {} h", s / 86400, s % 86400 / 3600);
}

std::string ago(std::chrono::microseconds duration) { return length(std::chrono::floor<std::chrono::seconds>(duration)) + " ago"; }

}  // namespace gleaner::terminal
