#include "lib/grid/checkpoint.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>

namespace gleaner::grid {
namespace {

TEST(CheckpointPeriod, IsDalys) {
  // His example: a checkpoint takes 5 min, and the machine runs for 24 h on average.
  EXPECT_NEAR(optimal_period(300, 86400), std::sqrt(2 * 300.0 * 86400) * (1 + std::sqrt(300.0 / 172800) / 3 + 300.0 / 172800 / 9), 1e-6);
  EXPECT_NEAR(optimal_period(60, 7200), 949.6, 0.5);
}

TEST(CheckpointPeriod, IsTheStatedOne_OrFollowsTheMeasuredRate) {
  EXPECT_EQ(period_of(600.0, 60, {.jobs = 9, .seconds = 1000}), 600);
  const double unknown = period_of({}, 60, {});
  const double rare = period_of({}, 60, {.jobs = 1, .seconds = 100 * 86400});
  const double frequent = period_of({}, 60, {.jobs = 10'000, .seconds = 10'000 * 600});
  EXPECT_GT(rare, unknown);
  EXPECT_LT(frequent, unknown);
  EXPECT_NEAR(frequent, optimal_period(60, 600), 10);
}

RC_GTEST_PROP(CheckpointPeriod, LeavesTimeBetweenCheckpoints_HoweverOftenJobsAreInterrupted, ()) {
  const double cost = *rc::gen::inRange(1, 100'000);
  const Interruptions interruptions{.jobs = *rc::gen::inRange(0, 1'000'000),
                                    .seconds = static_cast<double>(*rc::gen::inRange(0, 1'000'000))};
  const double period = period_of({}, cost, interruptions);
  RC_ASSERT(std::isfinite(period));
  RC_ASSERT(period > cost);
}

TEST(CheckpointMargin, IsTheCostAndHalfAMinute_AndAtMostHalfOfTheWalltime) {
  EXPECT_EQ(margin_before_end(Seconds{30}, Seconds{3600}, Seconds{120}), Seconds{60});
  EXPECT_EQ(margin_before_end(Seconds{30}, Seconds{100}, Seconds{120}), Seconds{50});
  EXPECT_EQ(margin_before_end(Seconds{3600}, Seconds{36'000}, Seconds{120}), Seconds{120}) << "local users wait for it";
  EXPECT_EQ(margin_before_end(Seconds{30}, Seconds{3600}, Seconds{0}), Seconds{0});
}

TEST(CheckpointSignals, AreThoseThatTheWrapperForwards) {
  EXPECT_EQ(checkpoint_signal("USR1"), 10);
  EXPECT_EQ(checkpoint_signal("TERM"), 15);
  EXPECT_FALSE(checkpoint_signal("KILL"));
  EXPECT_FALSE(checkpoint_signal("INT"));
  EXPECT_FALSE(checkpoint_signal(""));
}

TEST(CheckpointedRun, TakesTheTimeOfItsCheckpoints_AndSavesWhatTheLastOneHolds) {
  const CheckpointedRun run{.period = 100, .cost = 10};
  EXPECT_EQ(run.length_of(100), 100) << "it ends as the first signal comes";
  EXPECT_EQ(run.length_of(101), 111);
  EXPECT_EQ(run.length_of(190), 200);
  EXPECT_EQ(run.length_of(191), 211);
  EXPECT_EQ(run.saved_after(109), 0) << "the first one is not whole";
  EXPECT_EQ(run.saved_after(110), 100);
  EXPECT_EQ(run.saved_after(209), 100);
  EXPECT_EQ(run.saved_after(210), 190);
  EXPECT_EQ(run.since_checkpoint(109), 109);
  EXPECT_EQ(run.since_checkpoint(150), 40);
  const CheckpointedRun none;
  EXPECT_EQ(none.length_of(500), 500);
  EXPECT_EQ(none.saved_after(500), 0);
  EXPECT_EQ(none.since_checkpoint(500), 500);
}

RC_GTEST_PROP(CheckpointedRun, NeverSavesMoreThanIsDone_AndSavedWorkOnlyGrows, ()) {
  const double cost = *rc::gen::inRange(1, 1000);
  const CheckpointedRun run{.period = cost + *rc::gen::inRange(1, 10'000), .cost = cost};
  const double work = *rc::gen::inRange(1, 1'000'000);
  const double length = run.length_of(work);
  RC_ASSERT(std::abs(run.work_in(length) - work) < 1e-6);
  const double ran = *rc::gen::inRange(0, static_cast<int>(length) + 1);
  RC_ASSERT(run.saved_after(ran) <= work);
  RC_ASSERT(run.saved_after(ran) <= run.saved_after(ran + 1));
  RC_ASSERT(run.since_checkpoint(ran) >= 0);
  RC_ASSERT(run.since_checkpoint(ran) <= ran);
}

}  // namespace
}  // namespace gleaner::grid
