#pragma once
#include <optional>
#include <string>
#include <string_view>

namespace gleaner::text {

/// The characters beside letters and digits that need no escape anywhere in a URI (RFC 3986, section 2.3).
inline constexpr std::string_view kUnreserved{"-._~"};

/// The text with each byte as `%XX` that is neither an ASCII letter, nor a digit, nor one of `plain` (RFC 3986, section 2.1).
[[nodiscard]] std::string percent_encoded(std::string_view text, std::string_view plain = kUnreserved);

/// Replaces each `%XX` by its byte. Empty when a `%` is not followed by two hexadecimal digits, of either case.
[[nodiscard]] std::optional<std::string> percent_decoded(std::string_view text);

}  // namespace gleaner::text
