#include "lib/text/percent.hpp"

namespace gleaner::text {
namespace {

bool is_alphanumeric(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9'); }

std::optional<int> value_of_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return std::nullopt;
}

}  // namespace

std::string percent_encoded(std::string_view text, std::string_view plain) {
  constexpr std::string_view kDigits{"0123456789ABCDEF"};
  std::string encoded;
  encoded.reserve(text.size());
  for (const char c : text) {
    if (is_alphanumeric(c) || plain.find(c) != std::string_view::npos) {
      encoded += c;
      continue;
    }
    const auto byte = static_cast<unsigned char>(c);
    encoded += '%';
    encoded += kDigits[byte >> 4U];
    encoded += kDigits[byte & 15U];
  }
  return encoded;
}

std::optional<std::string> percent_decoded(std::string_view text) {
  constexpr int kDigits = 16;
  std::string decoded;
  decoded.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      decoded += text[i];
      continue;
    }
    const auto high = i + 2 < text.size() ? value_of_digit(text[i + 1]) : std::nullopt;
    const auto low = high ? value_of_digit(text[i + 2]) : std::nullopt;
    if (!low) return std::nullopt;
    decoded += static_cast<char>(*high * kDigits + *low);
    i += 2;
  }
  return decoded;
}

}  // namespace gleaner::text
