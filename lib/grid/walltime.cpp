#include "lib/grid/walltime.hpp"

#include <fmt/format.h>

#include <array>

#include "lib/text/numbers.hpp"

namespace gleaner::grid {

std::optional<Seconds> parse_walltime(std::string_view text) {
  constexpr std::int64_t kUnits[] = {3600, 60, 1};
  constexpr std::int64_t kLongestHours = kLongestWalltime.count() / 3600;
  std::int64_t total = 0;
  std::size_t part = 0;
  for (std::size_t begin = 0; begin <= text.size(); ++part) {
    const auto colon = std::min(text.find(':', begin), text.size());
    const auto field = text.substr(begin, colon - begin);
    const auto number = text::whole_number(field, std::int64_t{0}, part == 0 ? kLongestHours : 59);
    if (part > 2 || !number) return std::nullopt;
    total += *number * kUnits[part];
    begin = colon + 1;
    if (colon == text.size()) break;
  }
  if (total <= 0) return std::nullopt;
  return Seconds{total};
}

std::string format_walltime(Seconds walltime) {
  const auto seconds = walltime.count();
  return fmt::format("{}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60);
}

Seconds round_up_walltime(Seconds walltime) {
  constexpr auto kSteps = std::to_array<std::int64_t>({1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14400, 28800, 86400});
  constexpr std::int64_t kStepsOfADoubling = 8;
  std::int64_t step = 1;
  for (const auto candidate : kSteps) {
    if (candidate * kStepsOfADoubling <= walltime.count()) step = candidate;
  }
  return Seconds{(walltime.count() + step - 1) / step * step};
}

}  // namespace gleaner::grid
