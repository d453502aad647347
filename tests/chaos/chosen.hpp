#pragma once
#include "tests/seed.hpp"
#include "tests/system/grid_under_test.hpp"

namespace gleaner::tests {

/// Whether this one of so many variants, of a kind that worlds play too (docs/architecture/world.md), is to run: with GLEANER_TEST_LONG
/// all, otherwise the one that the seed of the run chooses.
[[nodiscard]] inline bool is_chosen(std::size_t variant, std::size_t variants) {
  return long_runs() || seed_of_run() % variants == variant;
}
constexpr auto kAnotherIsChosen = "the seed chose another one; all with GLEANER_TEST_LONG";

}  // namespace gleaner::tests
