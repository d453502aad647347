#pragma once
#include <algorithm>
#include <cstddef>
#include <vector>

namespace gleaner::updator {

/// Up to `most` indices below `count`, in ascending order and evenly spread.
[[nodiscard]] inline std::vector<std::size_t> spread(std::size_t count, std::size_t most) {
  std::vector<std::size_t> places;
  const auto chosen = std::min(count, most);
  for (std::size_t i = 0; i < chosen; ++i) places.push_back(i * count / chosen);
  return places;
}

}  // namespace gleaner::updator
