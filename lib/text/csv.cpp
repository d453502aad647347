#include "lib/text/csv.hpp"

#include "lib/text/numbers.hpp"

namespace gleaner::text {
namespace {

/// A spreadsheet takes a field that begins so for a formula, and runs it. A number is none.
bool is_formula(std::string_view text) {
  constexpr std::string_view kBeginnings{"=+-@\t\r"};
  return !text.empty() && kBeginnings.find(text.front()) != std::string_view::npos && !real_number(text);
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
