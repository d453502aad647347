#include "lib/grid/stderr_line.hpp"

#include <algorithm>

#include "lib/text/clean.hpp"
#include "lib/text/percent.hpp"

namespace gleaner::grid {
namespace {

constexpr std::string_view kPlainInNames{"._=+-"};
constexpr std::string_view kSpaces{" \t\n\v\f\r"};

/// Removes the first bytes of a character from the end, whose others were cut off.
void drop_cut_character(std::string& line) {
  std::size_t begin = line.size();
  while (begin > 0 && (static_cast<unsigned char>(line[begin - 1]) & 0xC0U) == 0x80U) --begin;
  if (begin > 0 && static_cast<unsigned char>(line[begin - 1]) >= 0xC0U) --begin;
  if (begin < line.size() && text::character_length(line, begin) != line.size() - begin) line.resize(begin);
}

}  // namespace

std::string noted_stderr_line(std::string_view line) {
  constexpr std::size_t kEscape = 3;
  std::string noted;
  for (const char letter : line) {
    if (noted.size() > kLongestStderrLine - kEscape) break;
    if (kSpaces.find(letter) != std::string_view::npos) noted += ',';
    else noted += text::percent_encoded({&letter, 1}, kPlainInNames);
  }
  return noted;
}

std::string read_stderr_line(std::string_view noted) {
  if (noted.size() > kLongestStderrLine) return {};
  std::string spaced{noted};
  std::ranges::replace(spaced, ',', ' ');
  auto line = text::percent_decoded(spaced).value_or(std::string{});
  drop_cut_character(line);
  return text::clean_text(line, {.most_bytes = kLongestStderrLine});
}

}  // namespace gleaner::grid
