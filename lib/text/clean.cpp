#include "lib/text/clean.hpp"

namespace gleaner::text {
namespace {

constexpr std::string_view kReplacement{"\xEF\xBF\xBD"};

unsigned byte_at(std::string_view text, std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U; }

bool is_continuation(unsigned byte) { return (byte & 0xC0U) == 0x80U; }

/// U+0000 to U+001F, U+007F, and U+0080 to U+009F (C2 80 to C2 9F).
bool is_control(std::string_view character) {
  const auto first = byte_at(character, 0);
  return first < 0x20U || first == 0x7FU || (first == 0xC2U && byte_at(character, 1) < 0xA0U);
}

/// The replacement of one character of the raw text.
std::string_view cleaned(std::string_view character, Lines lines) {
  if (!is_control(character)) return character;
  if (character != "\n" && character != "\t") return {};
  return lines == Lines::kept ? character : std::string_view{" "};
}

/// The last bytes of a UTF-8 text, from the beginning of a character on.
std::string end_of(const std::string& text, std::size_t most_bytes) {
  if (text.size() <= most_bytes) return text;
  auto begin = text.size() - most_bytes;
  while (begin < text.size() && is_continuation(byte_at(text, begin))) ++begin;
  return text.substr(begin);
}

}  // namespace

std::size_t character_length(std::string_view text, std::size_t at) {
  const auto first = byte_at(text, at);
  const auto second = byte_at(text, at + 1);
  if (at >= text.size()) return 0;
  if (first < 0x80U) return 1;
  if (first >= 0xC2U && first <= 0xDFU) return is_continuation(second) ? 2 : 0;
  if (first >= 0xE0U && first <= 0xEFU) {
    const bool overlong = first == 0xE0U && second < 0xA0U;
    const bool surrogate = first == 0xEDU && second > 0x9FU;
    return is_continuation(second) && !overlong && !surrogate && is_continuation(byte_at(text, at + 2)) ? 3 : 0;
  }
  if (first >= 0xF0U && first <= 0xF4U) {
    const bool overlong = first == 0xF0U && second < 0x90U;
    const bool too_high = first == 0xF4U && second > 0x8FU;
    const bool continued = is_continuation(second) && is_continuation(byte_at(text, at + 2)) && is_continuation(byte_at(text, at + 3));
    return continued && !overlong && !too_high ? 4 : 0;
  }
  return 0;
}

std::string clean_text(std::string_view raw, TextRule rule) {
  std::string text;
  for (std::size_t at = 0; at < raw.size();) {
    const auto length = character_length(raw, at);
    const auto piece = length == 0 ? kReplacement : cleaned(raw.substr(at, length), rule.lines);
    if (rule.keep == Keep::beginning && text.size() + piece.size() > rule.most_bytes) break;
    text += piece;
    at += length == 0 ? 1 : length;
  }
  return rule.keep == Keep::end ? end_of(text, rule.most_bytes) : text;
}

}  // namespace gleaner::text
