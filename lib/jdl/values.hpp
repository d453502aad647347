#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "lib/jdl/tree.hpp"

/// Single values of a campaign file. On an error, each function adds a problem and returns empty.
namespace gleaner::jdl {

/// A string of one line, without blanks around it.
[[nodiscard]] std::optional<std::string> read_text(const Node& node, const std::string& path, Findings& findings);
/// The same, and not empty. `what` completes "write …".
[[nodiscard]] std::optional<std::string> read_word(const Node& node, const std::string& path, std::string_view what, Findings& findings);
/// A whole number within bounds, as a number or a string of digits.
struct Bounds {
  std::int64_t least;
  std::int64_t most;
};
[[nodiscard]] std::optional<std::int64_t> read_integer(const Node& node, const std::string& path, Bounds bounds, Findings& findings);
/// true or false, as such or as a string.
[[nodiscard]] std::optional<bool> read_yes(const Node& node, const std::string& path, Findings& findings);

/// A word of a list. `wrong` is the middle of the message about another word, which is returned too.
[[nodiscard]] std::optional<std::string> read_choice(const Node& node, const std::string& path, std::string_view what,
                                                     std::span<const std::string_view> words, std::string_view wrong, Findings& findings);
/// Adds a problem if the number is more than an administrator allows. `most`: empty: unknown here.
void check_bound(const Node& node, const std::string& path, std::optional<int> number, std::optional<int> most, Findings& findings);

/// Notes that this level states a value by this key. False, with a problem: it has stated the same by the key in `stated`.
[[nodiscard]] bool is_first(std::string& stated, std::string_view key, const Node& node, const std::string& path, Findings& findings);

/// "a number", "an array": the kind of a value in messages.
[[nodiscard]] std::string_view kind_name(NodeKind kind);
/// A value as a message quotes it: the text, or [ … ] or { … }.
[[nodiscard]] std::string shown(const Node& node);

}  // namespace gleaner::jdl
