#include <gtest/gtest.h>

#include "lib/grid/grouping_gain.hpp"

/// The gain by temporal_grouping.
namespace gleaner::grid {
namespace {

constexpr double kPool = 120;
constexpr StartCosts kEightForOne{.jobs = 20, .command_seconds = 20, .held_seconds = 160};

TEST(GroupingGain, OfTasksOfASecondInJobsOfEight_IsTheTimeOfTheStarts) {
  // 16 cores do 480 tasks in 240 s; each would do 30 in one job.
  const auto gain = gain_of_grouping(kEightForOne, {.tasks = 480, .seconds = 240}, kPool);
  ASSERT_TRUE(gain);
  EXPECT_DOUBLE_EQ(gain->task, 1);
  EXPECT_DOUBLE_EQ(gain->job, 8);
  EXPECT_DOUBLE_EQ(gain->end, 240);
  EXPECT_DOUBLE_EQ(gain->grouped, 30 + 7);
}

TEST(GroupingGain, AJobTakesNoMoreTasksThanItsTimeHolds) {
  const auto gain = gain_of_grouping(kEightForOne, {.tasks = 48'000, .seconds = 24'000}, kPool);
  ASSERT_TRUE(gain);
  EXPECT_DOUBLE_EQ(gain->grouped, 3000 * (1 + 7.0 / 120));
}

TEST(GroupingGain, IsNotShown_WhileLittleIsKnown_OrWhereLittleIsLeftOrGained) {
  EXPECT_FALSE(gain_of_grouping({}, {.tasks = 480, .seconds = 240}, kPool));
  EXPECT_FALSE(gain_of_grouping({.jobs = 4, .command_seconds = 4, .held_seconds = 32}, {.tasks = 480, .seconds = 240}, kPool));
  EXPECT_FALSE(gain_of_grouping(kEightForOne, {.tasks = 49, .seconds = 240}, kPool)) << "few tasks";
  EXPECT_FALSE(gain_of_grouping(kEightForOne, {.tasks = 480, .seconds = 0}, kPool)) << "it ends at any moment";
  EXPECT_FALSE(gain_of_grouping({.jobs = 20, .command_seconds = 200, .held_seconds = 380}, {.tasks = 480, .seconds = 3000}, kPool))
      << "jobs of less than twice their tasks";
  EXPECT_FALSE(gain_of_grouping(kEightForOne, {.tasks = 480, .seconds = 8}, kPool)) << "each core has one task";
}

}  // namespace
}  // namespace gleaner::grid
