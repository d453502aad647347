#include <gtest/gtest.h>

#include "lib/grid/quality.hpp"

/// How good plans were (document 003, "control the effectiveness of scheduling decisions"): what is counted, and the figures made of it.
namespace gleaner::grid {
namespace {

using std::chrono::seconds;

const Instant kNoon = from_unix(1'800'000'000);

JudgedJob a_job(JobEnd end, int waited, int ran, double width = 1) {
  return {.end = end, .sent = kNoon, .started = kNoon + seconds{waited}, .ended = kNoon + seconds{waited + ran}, .width = width};
}

TEST(Quality, Document003_OfPlannedJobs_CountsWhichStartedAndWaited_AndWhatWasTakenBackOrKilled) {
  PlanFigures figures;
  figures.count(a_job(JobEnd::done, 5, 100));
  figures.count(a_job(JobEnd::done, 15, 100));
  figures.count(a_job(JobEnd::task_error, 16, 100));
  figures.count(a_job(JobEnd::preempted, 24, 50, 4));
  figures.count(a_job(JobEnd::killed_by_us, 0, 10));
  figures.count({.end = JobEnd::killed_by_us, .sent = kNoon, .started = {}, .ended = kNoon + seconds{60}});
  figures.count({.end = JobEnd::never_submitted, .sent = {}, .started = {}, .ended = kNoon});
  EXPECT_EQ(figures.planned(), 7);
  EXPECT_EQ(figures.started, 5);
  EXPECT_EQ(figures.waited, 2) << "longer than the 15 s that a cluster has for starting what fits";
  EXPECT_EQ(figures.of(Fate::preempted), 1);
  EXPECT_EQ(figures.of(Fate::killed), 1);
  EXPECT_EQ(figures.of(Fate::taken_back), 1);
  EXPECT_EQ(figures.of(Fate::unsent), 1);
  EXPECT_DOUBLE_EQ(*figures.started_part(), 5.0 / 7);
  EXPECT_DOUBLE_EQ(*figures.mean_wait(), (5 + 15 + 16 + 24 + 0 + 60) / 6.0) << "what was never sent did not wait";
  EXPECT_DOUBLE_EQ(figures.held_s, 100 + 100 + 100 + 200 + 10);
  EXPECT_DOUBLE_EQ(figures.wasted_s, 200 + 10) << "a task's own failure is not the plan's";
}

TEST(Quality, WorkInACheckpoint_IsNotWasted) {
  PlanFigures figures;
  auto job = a_job(JobEnd::preempted, 0, 100, 2);
  job.saved = 70;
  figures.count(job);
  EXPECT_DOUBLE_EQ(figures.wasted_s, 60);
  EXPECT_DOUBLE_EQ(*figures.wasted_part(), 0.3);
}

TEST(Quality, WithoutJobs_HasNoFigures_RatherThanPerfectOnes) {
  const PlanFigures none;
  EXPECT_FALSE(none.started_part() || none.mean_wait() || none.wasted_part() || none.too_many_part() || none.too_few_part());
  const ForecastFigures no_forecasts;
  EXPECT_FALSE(no_forecasts.within_part() || no_forecasts.mean_error() || no_forecasts.mean_error_part());
}

TEST(Quality, TheErrorOfARatio_IsThePartOfItsJobsThatWait_AndOfItsResourcesThatStayFree) {
  PlanFigures figures{.turns = 2, .too_big = 1, .too_small = 1, .offered = 20, .sent = 12, .left_waiting = 3, .left_free = 5};
  EXPECT_DOUBLE_EQ(*figures.too_many_part(), 0.25);
  EXPECT_DOUBLE_EQ(*figures.too_few_part(), 0.25);
  auto twice = figures;
  twice += figures;
  EXPECT_EQ(twice.turns, 4);
  EXPECT_EQ(twice.too_many_part(), figures.too_many_part());
}

TEST(Quality, OfForecasts_IsTheirErrorAndHowOftenTheirIntervalHeld) {
  ForecastFigures figures;
  const auto at = [](int s) { return kNoon + seconds{s}; };
  figures.count(at(0), at(900), Interval{at(800), at(1100)}, at(1000));
  figures.count(at(500), at(1200), Interval{at(1100), at(1300)}, at(1000));
  figures.count(at(990), at(1020), {}, at(1000));
  figures.count(at(1000), at(1020), {}, at(1000));
  EXPECT_EQ(figures.forecasts, 3) << "the last one is no forecast any more";
  EXPECT_EQ(figures.within, 1);
  EXPECT_EQ(figures.early, 1);
  EXPECT_DOUBLE_EQ(*figures.mean_error(), (100 + 200 + 20) / 3.0);
  EXPECT_DOUBLE_EQ(figures.error_parts, 100.0 / 1000 + 200.0 / 500 + 20.0 / 60) << "a forecast of the last seconds is not off by 200 %";
}

}  // namespace
}  // namespace gleaner::grid
