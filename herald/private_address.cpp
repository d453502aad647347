#include "herald/private_address.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>

namespace gleaner::herald {
namespace {

struct Range {
  std::uint32_t first;
  int bits;
};
// Source: IANA's registry of special-purpose IPv4 addresses.
constexpr std::array kSpecial{
    Range{0x00000000, 8},  Range{0x0A000000, 8},  Range{0x64400000, 10}, Range{0x7F000000, 8},  Range{0xA9FE0000, 16},
    Range{0xAC100000, 12}, Range{0xC0000000, 24}, Range{0xC0000200, 24}, Range{0xC0586300, 24}, Range{0xC0A80000, 16},
    Range{0xC6120000, 15}, Range{0xC6336400, 24}, Range{0xCB007100, 24}, Range{0xE0000000, 3},
};

bool is_public_v4(std::uint32_t address) {
  return std::ranges::none_of(kSpecial, [&](const Range& range) { return (address ^ range.first) >> (32 - range.bits) == 0; });
}

using Bytes = std::array<std::uint8_t, 16>;

std::uint32_t v4_at(const Bytes& bytes, std::size_t place) {
  std::uint32_t address = 0;
  for (std::size_t i = 0; i < 4; ++i) address = (address << 8U) | bytes.at(place + i);
  return address;
}

/// In IPv6, 2000::/3 is the public Internet; it includes tunnels to IPv4 (6to4, Teredo) and documentation.
bool is_public_v6(const Bytes& bytes) {
  constexpr Bytes kMapped{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF};
  constexpr Bytes kTranslated{0, 0x64, 0xFF, 0x9B};
  if (std::equal(bytes.begin(), bytes.begin() + 12, kMapped.begin())) return is_public_v4(v4_at(bytes, 12));
  if (std::equal(bytes.begin(), bytes.begin() + 12, kTranslated.begin())) return is_public_v4(v4_at(bytes, 12));
  if ((bytes[0] & 0xE0U) != 0x20U) return false;
  if (bytes[0] == 0x20 && bytes[1] == 0x02) return is_public_v4(v4_at(bytes, 2));
  const bool is_special = bytes[0] == 0x20 && bytes[1] == 0x01 && ((bytes[2] & 0xFEU) == 0 || (bytes[2] == 0x0D && bytes[3] == 0xB8));
  return !is_special && !(bytes[0] == 0x3F && bytes[1] == 0xFF);
}

}  // namespace

bool is_public(const sockaddr* address, socklen_t size) {
  if (address->sa_family == AF_INET && size >= sizeof(sockaddr_in)) {
    sockaddr_in v4{};
    std::memcpy(&v4, address, sizeof v4);
    return is_public_v4(ntohl(v4.sin_addr.s_addr));
  }
  if (address->sa_family == AF_INET6 && size >= sizeof(sockaddr_in6)) {
    sockaddr_in6 v6{};
    std::memcpy(&v6, address, sizeof v6);
    Bytes bytes{};
    std::memcpy(bytes.data(), &v6.sin6_addr, bytes.size());
    return is_public_v6(bytes);
  }
  return false;
}

}  // namespace gleaner::herald
