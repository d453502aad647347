#include "lib/text/ranges.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace gleaner::text {

std::string ranges_text(std::vector<std::int64_t> numbers, std::size_t most_ranges) {
  std::ranges::sort(numbers);
  numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
  std::string text;
  std::size_t ranges = 0;
  for (std::size_t first = 0; first < numbers.size(); ++ranges) {
    if (ranges == most_ranges) return text + fmt::format("{}and {} more", text.empty() ? "" : " ", numbers.size() - first);
    auto last = first;
    while (last + 1 < numbers.size() && numbers[last + 1] == numbers[last] + 1) ++last;
    if (!text.empty()) text += ", ";
    text += last == first ? fmt::format("{}", numbers[first]) : fmt::format("{}-{}", numbers[first], numbers[last]);
    first = last + 1;
  }
  return text;
}

}  // namespace gleaner::text
