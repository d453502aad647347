#include "lib/text/address_range.hpp"

#include <arpa/inet.h>

#include <algorithm>
#include <string>

#include "lib/text/numbers.hpp"

namespace gleaner::text {
namespace {

constexpr unsigned kAllBits = 128;
constexpr unsigned kBitsBeforeIpv4 = 96;

template <class Bits>
bool has_same(const Bits& one, const Bits& other, unsigned bits) {
  for (unsigned bit = 0; bit < bits; ++bit) {
    const auto mask = static_cast<unsigned char>(0x80U >> (bit % 8));
    if (((one[bit / 8] ^ other[bit / 8]) & mask) != 0) return false;
  }
  return true;
}

}  // namespace

std::optional<AddressRange::Bits> AddressRange::read(std::string_view address) {
  const std::string text{address};
  Bits bits{};
  if (::inet_pton(AF_INET6, text.c_str(), bits.data()) == 1) return bits;
  std::array<unsigned char, 4> ipv4{};
  if (::inet_pton(AF_INET, text.c_str(), ipv4.data()) != 1) return std::nullopt;
  bits[10] = bits[11] = 0xff;
  std::ranges::copy(ipv4, bits.begin() + 12);
  return bits;
}

std::optional<AddressRange> AddressRange::parse(std::string_view text) {
  const auto slash = text.find('/');
  const auto address = text.substr(0, slash);
  const auto bits = read(address);
  if (!bits) return std::nullopt;
  const unsigned before = address.find(':') == std::string_view::npos ? kBitsBeforeIpv4 : 0;
  AddressRange range;
  range.first_ = *bits;
  range.same_ = kAllBits;
  if (slash == std::string_view::npos) return range;
  const auto same = whole_number<unsigned>(text.substr(slash + 1), 0U, kAllBits - before);
  if (!same) return std::nullopt;
  range.same_ = before + *same;
  for (unsigned bit = range.same_; bit < kAllBits; ++bit) {
    if ((range.first_[bit / 8] & (0x80U >> (bit % 8))) != 0) return std::nullopt;
  }
  return range;
}

bool AddressRange::contains(std::string_view address) const {
  const auto bits = read(address);
  return bits && has_same(*bits, first_, same_);
}

}  // namespace gleaner::text
