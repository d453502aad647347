#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace gleaner::combinations {

/// A value of a dimension, by their places.
struct Choice {
  std::size_t dimension;
  std::size_t value;
  auto operator<=>(const Choice&) const = default;
};

/// Pairs of values of two dimensions, the lesser dimension first.
using Pair = std::pair<Choice, Choice>;

/// All pairs that may be together.
/// @param values  their number for each dimension
[[nodiscard]] std::vector<Pair> all_pairs(const std::vector<std::size_t>& values, const std::function<bool(const Pair&)>& is_allowed);

/// A covering array of strength two: rows that have one value of each dimension, only allowed pairs, and each allowed pair in some row, if
/// any row can have it. Greedy; a few rows more than the least number. The same seed gives the same rows.
/// @return for each row the value of each dimension
[[nodiscard]] std::vector<std::vector<std::size_t>> covering_array(const std::vector<std::size_t>& values,
                                                                   const std::function<bool(const Pair&)>& is_allowed, std::uint64_t seed);

/// The pairs of a row.
[[nodiscard]] std::vector<Pair> pairs_of(const std::vector<std::size_t>& row);

}  // namespace gleaner::combinations
