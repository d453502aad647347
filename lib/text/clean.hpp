#pragma once
#include <cstddef>
#include <string>
#include <string_view>

/// Text from outside: a user's program, a cluster, a file. Its bytes may be anything.
namespace gleaner::text {

/// Bytes of the well-formed UTF-8 character that begins at `at`; 0 when there is none (Unicode, table 3-7: overlong forms, surrogates and
/// values beyond U+10FFFF are not well-formed).
[[nodiscard]] std::size_t character_length(std::string_view text, std::size_t at);

/// The greatest number of bytes kept of one text from outside.
inline constexpr std::size_t kMostTextBytes = 4096;

/// The treatment of newlines and tabs.
enum class Lines {
  joined,  ///< each becomes a blank: for a name or a sentence
  kept     ///< they stay: for the last lines of a log
};

/// The end that is kept of a text that is too long.
enum class Keep { beginning, end };

struct TextRule {
  Lines lines = Lines::joined;
  Keep keep = Keep::beginning;
  std::size_t most_bytes = kMostTextBytes;
};

/// The text in a form that tables, terminals and JSON accept: valid UTF-8, at most `most_bytes` long, cut between two characters. Each byte
/// that is not UTF-8 becomes U+FFFD. Control characters (NUL, escape, carriage return, U+0080 to U+009F…) are removed, except newlines and
/// tabs. A text of this form is unchanged. Cost: O(most_bytes) to keep the beginning, O(raw) to keep the end.
[[nodiscard]] std::string clean_text(std::string_view raw, TextRule rule = {});

}  // namespace gleaner::text
