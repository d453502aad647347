#pragma once
#include <array>
#include <optional>
#include <string_view>

namespace gleaner::text {

/// Addresses of IPv4 or IPv6 that begin with the same bits.
class AddressRange {
 public:
  static constexpr std::string_view kForm{"an address such as 10.0.0.7 or ::1, or a range such as 10.1.0.0/16 or fd00::/8"};

  /// One address, or `ADDRESS/BITS`, whose further bits are 0. Empty: it is neither.
  [[nodiscard]] static std::optional<AddressRange> parse(std::string_view text);

  /// Whether this address is one of them. `::ffff:10.0.0.7` is 10.0.0.7. A text that is no address is in no range.
  [[nodiscard]] bool contains(std::string_view address) const;

 private:
  using Bits = std::array<unsigned char, 16>;
  static std::optional<Bits> read(std::string_view address);

  Bits first_{};  ///< IPv4 as `::ffff:a.b.c.d`
  unsigned same_ = 0;
};

}  // namespace gleaner::text
