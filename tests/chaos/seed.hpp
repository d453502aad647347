#pragma once
#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <random>
#include <string>

namespace gleaner::tests {

/// The seed of a random test: GLEANER_CHAOS_SEED, else a new one in a long run (GLEANER_TEST_LONG), else always the same, so that a change
/// is tried against what the last one was; printed, so that a failure can be had again.
inline std::uint64_t chaos_seed() {
  const char* given = std::getenv("GLEANER_CHAOS_SEED");
  constexpr std::uint64_t kUsual = 2009;
  const std::uint64_t found = std::getenv("GLEANER_TEST_LONG") != nullptr ? std::random_device{}() : kUsual;
  const std::uint64_t seed = given != nullptr ? std::stoull(given) : found;
  std::cout << "[ seed     ] GLEANER_CHAOS_SEED=" << seed << std::endl;
  ::testing::Test::RecordProperty("seed", std::to_string(seed));
  return seed;
}

class Dice {
 public:
  explicit Dice(std::uint64_t seed) : engine_{seed} {}
  /// From `least` to `most`, both included.
  int roll(int least, int most) { return std::uniform_int_distribution<int>{least, most}(engine_); }
  template <class Range>
  const auto& pick(const Range& range) {
    return range[static_cast<std::size_t>(roll(0, static_cast<int>(std::size(range)) - 1))];
  }

 private:
  std::mt19937_64 engine_;
};

}  // namespace gleaner::tests
