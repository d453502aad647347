#pragma once
#include <cstddef>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

namespace gleaner::text {

/// Why a line cannot be split into words.
struct WordError {
  std::size_t position;  ///< byte of the line, from 0, where the quote or backslash stands
  std::string what;
};

/// Splits a line into words as a POSIX shell does: blanks and newlines separate; single quotes, double quotes and backslashes quote. All
/// other characters are literal: `$x`, `*`, `~`, `;`, `|`, `>` and `#`. Bytes are not interpreted, so any encoding is accepted. Errors: an
/// open quote, a backslash at the end of the line.
[[nodiscard]] tl::expected<std::vector<std::string>, WordError> split_words(std::string_view line);

/// The same words as they are written, with their quotes and backslashes.
[[nodiscard]] tl::expected<std::vector<std::string>, WordError> split_written_words(std::string_view line);

/// Quotes a word so that a POSIX shell, or split_words, reads it back byte for byte. A word that needs no quotes is unchanged. For a shell,
/// the word must not contain NUL.
[[nodiscard]] std::string quote(std::string_view word);

}  // namespace gleaner::text
