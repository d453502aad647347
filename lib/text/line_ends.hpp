#pragma once
#include <cstddef>
#include <string_view>

namespace gleaner::text {

/// Where a carriage return stands alone, as old editors end lines with: neither before a line feed nor at the end of the text; `npos`:
/// nowhere. Each reader of lines refuses such a text, of which it would make one line, or one comment.
[[nodiscard]] inline std::size_t lone_return(std::string_view text) {
  for (auto at = text.find('\r'); at != std::string_view::npos; at = text.find('\r', at + 1)) {
    if (at + 1 < text.size() && text[at + 1] != '\n') return at;
  }
  return std::string_view::npos;
}

inline constexpr std::string_view kLoneReturn =
    "a carriage return is alone here: lines end in LF or CRLF (tr '\\r' '\\n' <OLD >NEW rewrites a file whose lines end in CR)";

}  // namespace gleaner::text
