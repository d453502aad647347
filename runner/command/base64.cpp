#include "runner/command/base64.hpp"

#include <cstdint>

namespace gleaner::runner {

std::string base64(std::string_view bytes) {
  constexpr std::string_view kLetters{"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"};
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t at = 0; at < bytes.size(); at += 3) {
    std::uint32_t group = 0;
    for (std::size_t next = at; next < at + 3; ++next) {
      group = group << 8U | (next < bytes.size() ? static_cast<unsigned char>(bytes[next]) : 0U);
    }
    for (std::size_t letter = 0; letter < 4; ++letter) {
      const bool padding = at + letter > bytes.size();
      text += padding ? '=' : kLetters[group >> (18U - 6U * letter) & 0x3FU];
    }
  }
  return text;
}

}  // namespace gleaner::runner
