#pragma once
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace gleaner::world {

/// A stream of random numbers of its own for each subject, all from one seed: what is drawn for one subject changes nothing for the others.
/// The same on every machine (SplitMix64).
class Random {
 public:
  Random(std::uint64_t seed, std::string_view subject);

  [[nodiscard]] std::uint64_t next();
  /// From 0 to 1, without 1.
  [[nodiscard]] double fraction() { return static_cast<double>(next() >> 11U) * 0x1.0p-53; }
  [[nodiscard]] bool chance(double probability) { return fraction() < probability; }
  /// From `least` to `most`.
  [[nodiscard]] std::int64_t between(std::int64_t least, std::int64_t most);
  /// Exponentially distributed, for times between events.
  [[nodiscard]] double exponential(double mean);
  template <class Container>
  [[nodiscard]] const auto& one_of(const Container& container) {
    return container[static_cast<std::size_t>(between(0, static_cast<std::int64_t>(container.size()) - 1))];
  }

 private:
  std::uint64_t state_;
};

}  // namespace gleaner::world
