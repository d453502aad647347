#pragma once
#include <bit>
#include <concepts>
#include <cstdint>
#include <string_view>

namespace gleaner::grid {

/// A number that tells whether values changed: FNV-1a, numbers a word at once, mixed at the end (splitmix64) so that digests may be
/// added up.
/// The same in every build, as the database keeps it. No defence against those who want two values to look alike.
class Digest {
 public:
  Digest& add(std::string_view text) {
    for (const auto c : text) put(static_cast<unsigned char>(c));
    put(text.size());
    return *this;
  }
  Digest& add(std::integral auto number) {
    put(static_cast<std::uint64_t>(number));
    return *this;
  }
  Digest& add(double number) {
    put(std::bit_cast<std::uint64_t>(number));
    return *this;
  }
  [[nodiscard]] std::uint64_t value() const {
    auto mixed = state_;
    mixed = (mixed ^ (mixed >> 30U)) * 0xbf58476d1ce4e5b9ULL;
    mixed = (mixed ^ (mixed >> 27U)) * 0x94d049bb133111ebULL;
    return mixed ^ (mixed >> 31U);
  }

 private:
  void put(std::uint64_t word) {
    state_ = (state_ ^ word) * 1099511628211ULL;
    state_ ^= state_ >> 32U;
  }
  std::uint64_t state_ = 14695981039346656037ULL;
};

}  // namespace gleaner::grid
