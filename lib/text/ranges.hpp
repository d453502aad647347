#pragma once
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include <tl/expected.hpp>

namespace gleaner::text {

/// Numbers for people: `0-2, 7, 9-11`, in ascending order, each once. After `most_ranges` of them, the count of the other numbers follows:
/// `… and 20 more`. Empty for no numbers.
[[nodiscard]] std::string ranges_text(std::vector<std::int64_t> numbers, std::size_t most_ranges);

/// Whole numbers from `first` to `last`, both included.
struct Range {
  std::int64_t first = 0;
  std::int64_t last = 0;
  bool operator==(const Range&) const = default;
};
inline constexpr std::int64_t kOpenEnd = std::numeric_limits<std::int64_t>::max();

/// Reads numbers from 0 and ranges of them: `7,9-12`, `100-*` (to the end: kOpenEnd), `*-7`. Ascending, apart from each other: what
/// overlaps or touches is one range. Error: the part that is wrong, why, and what would be right.
[[nodiscard]] tl::expected<std::vector<Range>, std::string> parse_ranges(std::string_view text);

/// As parse_ranges reads them: `7,9-12,100-*`.
[[nodiscard]] std::string to_text(const std::vector<Range>& ranges);

}  // namespace gleaner::text
