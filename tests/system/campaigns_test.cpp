#include <gtest/gtest.h>

#include <fmt/format.h>

#include "tests/system/grid_under_test.hpp"

namespace gleaner::tests {
namespace {

TEST(Campaign, OnTwoClusters_RunsEachTaskExactlyOnce) {
  GridUnderTest grid;
  grid.almighty().start();
  const auto campaign = grid.submit({.tasks = 60, .exec_file = grid.oracle().task()});
  ASSERT_TRUE(grid.terminates(campaign));
  EXPECT_TRUE(grid.is_exactly_done(campaign, 60));
  EXPECT_EQ(grid.value("SELECT count(DISTINCT cluster_id) FROM jobs"), "2");
}

}  // namespace
}  // namespace gleaner::tests
