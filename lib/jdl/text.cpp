#include "lib/jdl/text.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "lib/text/clean.hpp"

namespace gleaner::jdl {
namespace {

constexpr std::string_view kBlanks = " \t\r\n\v\f";

unsigned byte_at(std::string_view text, std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u; }

bool is_continuation(unsigned byte) { return (byte & 0xC0u) == 0x80u; }

}  // namespace

std::size_t first_invalid_utf8(std::string_view text) {
  constexpr std::uint64_t kHighBits = 0x8080808080808080u;
  for (std::size_t i = 0; i < text.size();) {
    if (std::uint64_t word = 0; text.size() - i >= sizeof word) {
      std::memcpy(&word, text.data() + i, sizeof word);
      if ((word & kHighBits) == 0) {
        i += sizeof word;
        continue;
      }
    }
    const auto length = text::character_length(text, i);
    if (length == 0) return i;
    i += length;
  }
  return std::string_view::npos;
}

std::size_t characters(std::string_view text) {
  return static_cast<std::size_t>(std::ranges::count_if(text, [](unsigned char c) { return !is_continuation(c); }));
}

std::string_view trim(std::string_view text) {
  const auto begin = text.find_first_not_of(kBlanks);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kBlanks) + 1 - begin);
}

std::string lower(std::string_view text) {
  std::string result{text};
  std::ranges::transform(result, result.begin(), [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  return result;
}

Position Places::at(std::size_t offset) {
  offset = std::min(offset, text_.size());
  if (offset < offset_) {
    offset_ = 0;
    place_ = {1, 1};
  }
  for (; offset_ < offset; ++offset_) {
    const auto c = static_cast<unsigned char>(text_[offset_]);
    if (c == '\n') {
      ++place_.line;
      place_.column = 1;
    } else if (!is_continuation(byte_at(text_, offset_ + 1))) {  // the last byte of a character
      ++place_.column;
    }
  }
  return place_;
}

}  // namespace gleaner::jdl
