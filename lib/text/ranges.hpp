#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace gleaner::text {

/// Numbers for people: `0-2, 7, 9-11`, in ascending order, each once. After `most_ranges` of them, the count of the other numbers follows:
/// `… and 20 more`. Empty for no numbers.
[[nodiscard]] std::string ranges_text(std::vector<std::int64_t> numbers, std::size_t most_ranges);

}  // namespace gleaner::text
