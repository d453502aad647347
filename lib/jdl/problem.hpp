#pragma once
#include <compare>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gleaner::jdl {

/// A place in a text, as editors count: lines and columns from 1, columns in characters, not bytes. Line 0: the whole text.
struct Position {
  std::size_t line = 0;
  std::size_t column = 0;
  auto operator<=>(const Position&) const = default;
};

/// One error in a user's text.
struct Problem {
  Position place;
  std::string path;     ///< the value in question, `clusters.alpha.walltime`; empty: the whole text
  std::string value;    ///< the text found there; empty: none
  std::string message;  ///< a sentence that states what is wrong and what would be right
  bool operator==(const Problem&) const = default;
};

/// The treatment of doubts about a user's text, which would not prevent the campaign.
enum class Doubts {
  reported,
  reported_of_pairs,  ///< of keys beside each other, as one of them was there before; the others are refused
  refused
};

/// One line for each problem, in the order of the text:
/// `campaign.jdl:7:15: clusters.alpha.walltime: '1:99:00' is not a walltime; write h:m:s, e.g. 1:30:00`.
[[nodiscard]] std::string render(std::span<const Problem> problems, std::string_view file);

/// The problems as JSON for the API: an array of `{"line","column","path","value","message"}`.
[[nodiscard]] std::string to_json(std::span<const Problem> problems);

/// A value in a form that messages may quote: at most 60 characters of it; control characters, and bytes that are not UTF-8, become `\xNN`.
[[nodiscard]] std::string excerpt(std::string_view value);

}  // namespace gleaner::jdl
