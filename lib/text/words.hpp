#pragma once
#include <cstddef>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

namespace gleaner::text {

/// Why a line is not a list of words.
struct WordError {
  std::size_t position;  ///< byte of the line, from 0, where the quote or backslash stands
  std::string what;
};

/// Splits a line into words as a POSIX shell does: blanks and newlines separate, single quotes,
/// double quotes and backslashes quote. Nothing else counts: `$x`, `*`, `~`, `;`, `|`, `>` and
/// `#` are themselves. Bytes are not interpreted, so every encoding passes.
/// Errors: a quote that is never closed, a backslash at the end of the line.
[[nodiscard]] tl::expected<std::vector<std::string>, WordError> split_words(std::string_view line);

/// The word written so that a POSIX shell, or split_words, reads it back byte for byte. Left as
/// it is when it needs no quotes. The word must hold no NUL when it is meant for a shell.
[[nodiscard]] std::string quote(std::string_view word);

}  // namespace gleaner::text
