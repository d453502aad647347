#pragma once
#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

/// The places in a shell command where words of a parameter stand: `{1}` for the first word, `{}` for all words. As with the shell's own
/// variables, there is none within single quotes, and a backslash takes the meaning away. `${1}` is the shell's.
namespace gleaner::text {

struct Placeholder {
  std::size_t begin = 0;  ///< byte of its brace, or of the backslash before it
  std::size_t end = 0;    ///< byte after it
  std::size_t word = 0;   ///< from 1; 0: all words
  bool in_double_quotes = false;
  bool is_literal = false;  ///< after a backslash: it stands for its own text
};

/// The greatest number of a placeholder.
inline constexpr std::size_t kMostPlacedWords = 999;

/// All placeholders of a command, in its order, with the literal ones. `names`: of the words, `{mesh}` is the place of the one so named.
[[nodiscard]] std::vector<Placeholder> find_placeholders(std::string_view command, std::span<const std::string> names = {});

/// Whether there are places of words among these.
[[nodiscard]] bool has_places(std::span<const Placeholder> placeholders);

/// The command with each placeholder replaced by a text; literal ones lose their backslash.
[[nodiscard]] std::string with_places_filled(std::string_view command, std::span<const Placeholder> placeholders,
                                             const std::function<std::string(const Placeholder&)>& text_of);

/// The command with numbers for the names of words: `{mesh}` becomes `{1}`.
[[nodiscard]] std::string with_numbered_places(std::string_view command, std::span<const std::string> names);

/// A word as it is written within double quotes of a shell.
[[nodiscard]] std::string quote_within_double_quotes(std::string_view word);

}  // namespace gleaner::text
