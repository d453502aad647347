#include <gtest/gtest.h>

#include <iostream>

#include "tests/chaos/soak_run.hpp"
#include "tests/seed.hpp"
#include "tests/system/grid_under_test.hpp"

namespace gleaner::tests {
namespace {

TEST(Soak, NothingIsTwiceOrLostOrFalselyFailed_AndEveryClusterWorksAgainAfterEachOfItsFaults) {
  const auto figures = soak::run(long_runs() ? std::chrono::minutes{60} : std::chrono::minutes{2}, test_seed());
  EXPECT_TRUE(figures.is_clean());
  std::cout << figures;
}

}  // namespace
}  // namespace gleaner::tests
