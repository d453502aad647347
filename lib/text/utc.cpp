#include "lib/text/utc.hpp"

#include <ctime>

#include <fmt/chrono.h>
#include <fmt/format.h>

#include "lib/text/numbers.hpp"

namespace gleaner::text {
namespace {

// The parts of a time are read as numbers without a sign, because `-0` is none of them.

/// `2026-11-20T18:14:56`.
constexpr std::size_t kToTheSecond = 19;

/// `Z`, or `+01:00`.
std::optional<std::chrono::minutes> read_offset(std::string_view text) {
  if (text == "Z") return std::chrono::minutes{0};
  if (text.size() != 6 || (text[0] != '+' && text[0] != '-') || text[3] != ':') return std::nullopt;
  const auto hours = whole_number(text.substr(1, 2), 0U, 23U);
  const auto minutes = whole_number(text.substr(4, 2), 0U, 59U);
  if (!hours || !minutes) return std::nullopt;
  const std::chrono::minutes offset = std::chrono::hours{*hours} + std::chrono::minutes{*minutes};
  return text[0] == '-' ? -offset : offset;
}

std::optional<std::chrono::sys_days> read_date(std::string_view text) {
  const auto year = whole_number(text.substr(0, 4), 0U, 9999U);
  const auto month = whole_number(text.substr(5, 2), 1U, 12U);
  const auto day = whole_number(text.substr(8, 2), 1U, 31U);
  if (!year || !month || !day || text[4] != '-' || text[7] != '-') return std::nullopt;
  const std::chrono::year_month_day date{std::chrono::year{static_cast<int>(*year)}, std::chrono::month{*month}, std::chrono::day{*day}};
  return date.ok() ? std::optional{std::chrono::sys_days{date}} : std::nullopt;
}

std::optional<std::chrono::seconds> read_time_of_day(std::string_view text) {
  const auto hour = whole_number(text.substr(0, 2), 0U, 23U);
  const auto minute = whole_number(text.substr(3, 2), 0U, 59U);
  const auto second = whole_number(text.substr(6, 2), 0U, 59U);
  if (!hour || !minute || !second || text[2] != ':' || text[5] != ':') return std::nullopt;
  return std::chrono::hours{*hour} + std::chrono::minutes{*minute} + std::chrono::seconds{*second};
}

}  // namespace

std::string utc(std::chrono::sys_time<std::chrono::microseconds> instant) {
  const auto seconds = std::chrono::floor<std::chrono::seconds>(instant).time_since_epoch().count();
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(static_cast<std::time_t>(seconds)));
}

std::optional<std::chrono::sys_seconds> read_utc(std::string_view text) {
  if (text.size() <= kToTheSecond || text[10] != 'T') return std::nullopt;
  const auto date = read_date(text.substr(0, 10));
  const auto time = read_time_of_day(text.substr(11, 8));
  if (!date || !time) return std::nullopt;
  text.remove_prefix(kToTheSecond);
  if (text.front() == '.') {
    const auto end = text.find_first_not_of("0123456789", 1);
    if (end == std::string_view::npos || end == 1) return std::nullopt;
    text.remove_prefix(end);
  }
  const auto offset = read_offset(text);
  return offset ? std::optional{std::chrono::sys_seconds{*date + *time - *offset}} : std::nullopt;
}

}  // namespace gleaner::text
