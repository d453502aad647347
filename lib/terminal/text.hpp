#pragma once
#include <cstddef>
#include <string>
#include <string_view>

/// Text on a terminal: widths are columns of a UTF-8 terminal, not bytes.
namespace gleaner::terminal {

/// The text without characters that a terminal would interpret: control characters and bytes that are not UTF-8 become `?`, line ends and
/// tabs become blanks.
[[nodiscard]] std::string printable(std::string_view text);

/// Columns of a printable text.
[[nodiscard]] std::size_t display_width(std::string_view text);

/// Lines of a terminal of so many columns that a text with colours takes; one line at least for each line of the text.
[[nodiscard]] std::size_t lines_on_terminal(std::string_view text, std::size_t columns);

/// The text in at most `columns` columns; if it is cut, it ends with `…`.
[[nodiscard]] std::string shorten(std::string_view text, std::size_t columns);

/// Padded with blanks on its right or left side to `columns`; a longer text is unchanged.
[[nodiscard]] std::string pad_right(std::string_view text, std::size_t columns);
[[nodiscard]] std::string pad_left(std::string_view text, std::size_t columns);

/// Wrapped at blanks into lines of at most `columns` columns; lines after the first begin with `indent`.
[[nodiscard]] std::string wrap(std::string_view text, std::size_t columns, std::string_view indent);

/// `1 task`, `2 tasks`.
[[nodiscard]] std::string counted(std::int64_t number, std::string_view thing);

}  // namespace gleaner::terminal
