#pragma once
#include <string>
#include <string_view>

namespace gleaner::text {

/// The text with each byte as `%XX` that is neither an ASCII letter, nor a digit, nor one of `plain` (RFC 3986, section 2.1).
[[nodiscard]] std::string percent_encoded(std::string_view text, std::string_view plain);

}  // namespace gleaner::text
