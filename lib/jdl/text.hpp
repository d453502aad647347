#pragma once
#include <cstddef>
#include <string>
#include <string_view>

#include "lib/jdl/problem.hpp"

namespace gleaner::jdl {

/// The mark with which some editors begin a UTF-8 file; it is not part of the text.
inline constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

/// The offset of the first byte that is not UTF-8, or npos.
[[nodiscard]] std::size_t first_invalid_utf8(std::string_view text);

/// Number of characters (code points) of a UTF-8 text.
[[nodiscard]] std::size_t characters(std::string_view text);

[[nodiscard]] std::string_view trim(std::string_view text);
[[nodiscard]] std::string lower(std::string_view text);

/// Converts offsets to places. Cost: O(text) for all offsets together, if they come in increasing order.
class Places {
 public:
  /// The text must outlive this object.
  explicit Places(std::string_view text) : text_{text} {}
  [[nodiscard]] Position at(std::size_t offset);

 private:
  std::string_view text_;
  std::size_t offset_ = 0;
  Position place_{1, 1};
};

}  // namespace gleaner::jdl
