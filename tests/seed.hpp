#pragma once
#include <gtest/gtest.h>

#include <cstdint>
#include <iostream>
#include <random>
#include <string>

namespace gleaner::tests {

/// The seed of all that is random in a run of the tests: GLEANER_TEST_SEED, which tools/test takes from the commit, so that the same commit
/// gives the same run; without it 2009. Ends the program when the variable is no number.
[[nodiscard]] std::uint64_t seed_of_run();

/// The same, for one test: printed and noted in its report, so that a failure can be had again. The properties of rapidcheck need no call:
/// their seed is this one too (tests/seed.cpp).
inline std::uint64_t test_seed() {
  const auto seed = seed_of_run();
  std::cout << "[ seed     ] GLEANER_TEST_SEED=" << seed << std::endl;
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
