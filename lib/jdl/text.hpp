#pragma once
#include <cstddef>
#include <string>
#include <string_view>

#include "lib/jdl/problem.hpp"

namespace gleaner::jdl {

/// What some editors begin a file of UTF-8 with; it is no part of its text.
inline constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

/// The offset of the first byte that is not UTF-8, or npos.
[[nodiscard]] std::size_t first_invalid_utf8(std::string_view text);

/// Characters (code points) of a text that is UTF-8.
[[nodiscard]] std::size_t characters(std::string_view text);

[[nodiscard]] std::string_view trim(std::string_view text);
[[nodiscard]] std::string lower(std::string_view text);

/// Turns offsets into places. Cheap when they are asked for in increasing order.
class Places {
 public:
  /// The text must outlive it.
  explicit Places(std::string_view text) : text_{text} {}
  [[nodiscard]] Position at(std::size_t offset);

 private:
  std::string_view text_;
  std::size_t offset_ = 0;
  Position place_{1, 1};
};

}  // namespace gleaner::jdl
