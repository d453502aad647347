#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "lib/jdl/tree.hpp"

/// Single values of a campaign file. Each function tells what is wrong, and then returns nothing.
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

/// "a number", "an array": what a message says that it found.
[[nodiscard]] std::string_view kind_name(NodeKind kind);
/// What a message quotes of it: the text, or [ … ] or { … }.
[[nodiscard]] std::string shown(const Node& node);

}  // namespace gleaner::jdl
