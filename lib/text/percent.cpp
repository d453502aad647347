#include "lib/text/percent.hpp"

#include <fmt/format.h>

namespace gleaner::text {

std::string percent_encoded(std::string_view text, std::string_view plain) {
  std::string encoded;
  for (const char c : text) {
    const bool is_plain =
        (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || plain.find(c) != std::string_view::npos;
    encoded += is_plain ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return encoded;
}

}  // namespace gleaner::text
