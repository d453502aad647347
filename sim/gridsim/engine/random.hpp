#pragma once
#include <cstdint>

namespace gleaner::gridsim {

/// SplitMix64: the same numbers on every machine and with every library, unlike the distributions of <random>. Each purpose has a stream of
/// its own, so that variants stay comparable: additional draws of one purpose do not affect the others.
class Random {
 public:
  explicit Random(std::uint64_t seed, std::uint64_t stream = 0) : state_{seed ^ (stream * 0xD1342543DE82EF95ULL + 0x2545F4914F6CDD1DULL)} {}

  [[nodiscard]] std::uint64_t next() {
    state_ += 0x9E3779B97F4A7C15ULL;
    std::uint64_t mixed = state_;
    mixed = (mixed ^ (mixed >> 30)) * 0xBF58476D1CE4E5B9ULL;
    mixed = (mixed ^ (mixed >> 27)) * 0x94D049BB133111EBULL;
    return mixed ^ (mixed >> 31);
  }
  /// A number in (0, 1), both ends excluded, so that its logarithm is finite.
  [[nodiscard]] double uniform() { return (static_cast<double>(next() >> 11) + 0.5) * 0x1.0p-53; }

 private:
  std::uint64_t state_;
};

}  // namespace gleaner::gridsim
