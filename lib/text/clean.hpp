#pragma once
#include <cstddef>
#include <string>
#include <string_view>

/// Text that comes from outside: a user's program, a cluster, a file. Nothing is known of its bytes.
namespace gleaner::text {

/// Bytes of the well-formed UTF-8 character that begins at `at`; 0 when none does (Unicode, table 3-7: overlong forms, surrogates and
/// everything past U+10FFFF are none).
[[nodiscard]] std::size_t character_length(std::string_view text, std::size_t at);

/// The most bytes that are kept of one text from outside.
inline constexpr std::size_t kMostTextBytes = 4096;

/// What becomes of newlines and tabs.
enum class Lines {
  joined,  ///< each becomes a blank: a name, a sentence
  kept     ///< they stay: the last lines of a log
};

/// Which end of a text that is too long stays.
enum class Keep { beginning, end };

struct TextRule {
  Lines lines = Lines::joined;
  Keep keep = Keep::beginning;
  std::size_t most_bytes = kMostTextBytes;
};

/// The text as every table, terminal and JSON document takes it: valid UTF-8, at most `most_bytes` long, cut between two characters.
/// Each byte that is not UTF-8 becomes U+FFFD. Control characters (NUL, escape, carriage return, U+0080 to U+009F…) are left out, but
/// for newlines and tabs. A text that is so already is not changed. Cost: O(most_bytes) to keep the beginning, O(raw) to keep the end.
[[nodiscard]] std::string clean_text(std::string_view raw, TextRule rule = {});

}  // namespace gleaner::text
