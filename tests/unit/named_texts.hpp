#pragma once
#include <string>
#include <string_view>
#include <vector>

/// The texts in which command lines are named.
namespace gleaner {

using Words = std::vector<std::string>;

/// The string literals of a C++ source, those that follow each other joined, as the compiler joins them.
[[nodiscard]] Words literals_of(const std::string& source);

/// Code in a document: what stands between backticks, and the lines of blocks.
[[nodiscard]] Words code_of(const std::string& document);

/// The first cells of the tables under a heading, as `PROGRAM CELL`.
[[nodiscard]] Words cells_of(const std::string& document, std::string_view program);

}  // namespace gleaner
