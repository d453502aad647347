#include "lib/terminal/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>

namespace gleaner::terminal {
namespace {

struct Character {
  char32_t code = 0;
  std::size_t bytes = 1;
  bool valid = false;
};

std::size_t sequence_length(unsigned char first) {
  if (first < 0x80) return 1;
  if (first >= 0xc2 && first <= 0xdf) return 2;
  if (first >= 0xe0 && first <= 0xef) return 3;
  if (first >= 0xf0 && first <= 0xf4) return 4;
  return 0;
}

Character first_character(std::string_view text) {
  const auto first = static_cast<unsigned char>(text.front());
  const auto length = sequence_length(first);
  if (length == 0 || length > text.size()) return {};
  if (length == 1) return {first, 1, true};
  auto code = static_cast<char32_t>(first & (0xff >> (length + 1)));
  for (std::size_t i = 1; i < length; ++i) {
    const auto next = static_cast<unsigned char>(text[i]);
    if ((next & 0xc0) != 0x80) return {};
    code = (code << 6) | (next & 0x3f);
  }
  const std::array<char32_t, 5> least{0, 0, 0x80, 0x800, 0x10000};
  const bool surrogate = code >= 0xd800 && code <= 0xdfff;
  if (code < least[length] || surrogate || code > 0x10ffff) return {};
  return {code, length, true};
}

struct Range {
  char32_t first;
  char32_t last;
};

template <std::size_t Size>
bool is_in(const std::array<Range, Size>& ranges, char32_t code) {
  return std::ranges::any_of(ranges, [&](const Range& range) { return code >= range.first && code <= range.last; });
}

// Marks that combine with the character before them, and joiners.
constexpr std::array kNoWidth{Range{0x300, 0x36f},   Range{0x483, 0x489},   Range{0x591, 0x5bd},   Range{0x610, 0x61a},
                              Range{0x64b, 0x65f},   Range{0x1ab0, 0x1aff}, Range{0x1dc0, 0x1dff}, Range{0x200b, 0x200f},
                              Range{0x20d0, 0x20ff}, Range{0xfe00, 0xfe0f}, Range{0xfe20, 0xfe2f}, Range{0xfeff, 0xfeff}};
constexpr std::array kTwoColumns{Range{0x1100, 0x115f},   Range{0x2e80, 0x303e},  Range{0x3041, 0x33ff}, Range{0x3400, 0x4dbf},
                                 Range{0x4e00, 0x9fff},   Range{0xa000, 0xa4cf},  Range{0xac00, 0xd7a3}, Range{0xf900, 0xfaff},
                                 Range{0xfe30, 0xfe6f},   Range{0xff00, 0xff60},  Range{0xffe0, 0xffe6}, Range{0x1f300, 0x1f64f},
                                 Range{0x1f900, 0x1f9ff}, Range{0x20000, 0x3fffd}};
// C0, DEL, C1, and characters that reverse the direction of writing.
constexpr std::array kObeyed{Range{0, 0x1f}, Range{0x7f, 0x9f}, Range{0x202a, 0x202e}, Range{0x2066, 0x2069}};

std::size_t columns_of(const Character& character) {
  if (!character.valid) return 1;
  if (is_in(kNoWidth, character.code)) return 0;
  return is_in(kTwoColumns, character.code) ? 2 : 1;
}

}  // namespace

std::string printable(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  while (!text.empty()) {
    const auto character = first_character(text);
    if (text.front() == '\n' || text.front() == '\t' || text.front() == '\r') {
      result += ' ';
    } else if (!character.valid || is_in(kObeyed, character.code)) {
      result += '?';
    } else {
      result += text.substr(0, character.bytes);
    }
    text.remove_prefix(character.bytes);
  }
  return result;
}

std::size_t display_width(std::string_view text) {
  std::size_t width = 0;
  while (!text.empty()) {
    const auto character = first_character(text);
    width += columns_of(character);
    text.remove_prefix(character.bytes);
  }
  return width;
}

std::size_t lines_on_terminal(std::string_view text, std::size_t columns) {
  std::size_t lines = 0;
  while (!text.empty()) {
    auto line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    std::size_t width = 0;
    while (!line.empty()) {
      // A colour: from ESC to `m`.
      const auto escape = std::min(line.find('\x1b'), line.size());
      width += display_width(line.substr(0, escape));
      line.remove_prefix(escape);
      const auto end = line.find('m');
      line.remove_prefix(end == std::string_view::npos ? line.size() : end + 1);
    }
    lines += std::max<std::size_t>(1, (width + columns - 1) / std::max<std::size_t>(columns, 1));
  }
  return lines;
}

std::string shorten(std::string_view text, std::size_t columns) {
  if (display_width(text) <= columns) return std::string{text};
  if (columns == 0) return {};
  std::size_t width = 0;
  std::size_t bytes = 0;
  while (bytes < text.size()) {
    const auto character = first_character(text.substr(bytes));
    if (width + columns_of(character) > columns - 1) break;
    width += columns_of(character);
    bytes += character.bytes;
  }
  return std::string{text.substr(0, bytes)} + "…";
}

std::string pad_right(std::string_view text, std::size_t columns) {
  const auto width = display_width(text);
  return std::string{text} + std::string(columns > width ? columns - width : 0, ' ');
}

std::string pad_left(std::string_view text, std::size_t columns) {
  const auto width = display_width(text);
  return std::string(columns > width ? columns - width : 0, ' ') + std::string{text};
}

std::string wrap(std::string_view text, std::size_t columns, std::string_view indent) {
  std::string result;
  std::string line;
  while (!text.empty()) {
    const auto blank = std::min(text.find(' '), text.size());
    const auto word = text.substr(0, blank);
    text.remove_prefix(std::min(blank + 1, text.size()));
    if (word.empty()) continue;
    const bool fresh = line.empty() || line == indent;
    if (!fresh && display_width(line) + 1 + display_width(word) > columns) {
      result += line + "\n";
      line = indent;
    }
    if (!line.empty() && line != indent) line += ' ';
    line += word;
  }
  return result + line;
}

std::string counted(std::int64_t number, std::string_view thing) { return fmt::format("{} {}{}", number, thing, number == 1 ? "" : "s"); }

}  // namespace gleaner::terminal
