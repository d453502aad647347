#include "lib/text/csv.hpp"

#include <algorithm>

#include "lib/text/numbers.hpp"

namespace gleaner::text {
namespace {

/// `--verbose`, `-n 5`, `--size=2x2`: a spreadsheet may show it as a wrong name, and can run nothing of it, as calls have parentheses, and
/// links to other programs a `|` or a `!`.
bool is_option(std::string_view text) {
  constexpr std::string_view kHarmless{"-_.=:,/ "};
  return text.front() == '-' && std::ranges::all_of(text, [&](char c) {
           return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || kHarmless.find(c) != std::string_view::npos;
         });
}

/// A spreadsheet takes a field that begins so for a formula, and runs it. A number is none, and an option of a command has nothing to run.
bool is_formula(std::string_view text) {
  constexpr std::string_view kBeginnings{"=+-@\t\r"};
  return !text.empty() && kBeginnings.find(text.front()) != std::string_view::npos && !real_number(text) && !is_option(text);
}

}  // namespace

std::string csv_field(std::string_view text) {
  const std::string_view mark = is_formula(text) ? "'" : "";
  if (text.find_first_of("\",\r\n") == std::string_view::npos) return std::string{mark} + std::string{text};
  std::string quoted{"\""};
  quoted += mark;
  for (const char c : text) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + '"';
}

}  // namespace gleaner::text
