#include <gtest/gtest.h>

#include "predictor/algorithms/forecast.hpp"
#include "predictor/algorithms/pace.hpp"

namespace gleaner::prediction {
namespace {

using std::chrono::seconds;

grid::Durations of(std::initializer_list<double> values) {
  grid::Durations durations;
  for (const double value : values) {
    ++durations.count;
    durations.sum += value;
    durations.squares += value * value;
  }
  return durations;
}

/// A campaign that has run for so long, with 100 tasks to go, 10 at once, of 60 s each.
Progress a_progress(seconds age) {
  return {.now = grid::from_unix(100'000),
          .started = grid::from_unix(100'000) - age,
          .remaining = 100,
          .running = 10,
          .durations = of({60, 60})};
}

TEST(Durations, GiveTheirMeanAndDeviation) {
  EXPECT_DOUBLE_EQ(*of({10, 20, 30}).mean(), 20.0);
  EXPECT_NEAR(*of({10, 20, 30}).deviation(), 8.165, 0.001);
  EXPECT_DOUBLE_EQ(*of({7}).deviation(), 0.0);
  EXPECT_FALSE(of({}).mean());
  EXPECT_FALSE(of({}).deviation());
}

TEST(Durations, OfTwoClusters_AreThoseOfAllTheirJobs) {
  auto durations = of({10, 20});
  durations.add(of({30}));
  EXPECT_DOUBLE_EQ(*durations.deviation(), *of({10, 20, 30}).deviation());
}

TEST(Forecast, CampaignYoungerThanTwiceItsMean_EndsByTheAverage) {
  auto progress = a_progress(seconds{100});
  progress.ended_in_window = 2;
  const auto result = forecast(progress);
  EXPECT_EQ(result.method, Method::average);
  EXPECT_EQ(*result.end, progress.now + seconds{600});
}

TEST(Forecast, OlderCampaign_EndsByItsThroughputOverTheWindow) {
  auto progress = a_progress(seconds{10'000});
  progress.window = seconds{1'000};
  progress.ended_in_window = 50;
  const auto result = forecast(progress);
  EXPECT_EQ(result.method, Method::throughput);
  EXPECT_DOUBLE_EQ(result.throughput, 0.05);
  EXPECT_EQ(*result.end, progress.now + seconds{2'000});
}

TEST(Forecast, CampaignYoungerThanTheWindow_CountsItsOwnAge) {
  auto progress = a_progress(seconds{500});
  progress.ended_in_window = 50;
  EXPECT_DOUBLE_EQ(forecast(progress).throughput, 0.1);
}

TEST(Forecast, NothingEndedInTheWindow_FallsBackOnTheAverage) {
  auto progress = a_progress(seconds{100'000});
  EXPECT_EQ(forecast(progress).method, Method::average);
}

TEST(Forecast, NothingKnown_ForecastsNothing) {
  auto progress = a_progress(seconds{50});
  progress.durations = {};
  EXPECT_EQ(forecast(progress).method, Method::none);
  EXPECT_FALSE(forecast(progress).end);
  progress = a_progress(seconds{0});
  progress.running = 0;
  progress.ended_in_window = 3;
  EXPECT_FALSE(forecast(progress).end);
}

TEST(Forecast, NothingLeft_EndsNow) {
  auto progress = a_progress(seconds{50});
  progress.remaining = 0;
  EXPECT_EQ(*forecast(progress).end, progress.now);
}

TEST(Forecast, EndBeyondAHundredYears_IsNotOne) {
  auto progress = a_progress(seconds{100'000});
  progress.remaining = 1'000'000'000'000;
  progress.ended_in_window = 1;
  EXPECT_FALSE(forecast(progress).end);
  EXPECT_EQ(forecast(progress).method, Method::none);
}

/// 100 000 tasks of a command whose earlier jobs took no time, by OAR's whole seconds; its clusters start 6 jobs a second.
Progress without_durations() {
  const auto now = grid::from_unix(100'000);
  return {.now = now,
          .started = now,
          .remaining = 100'000,
          .durations = {},
          .earlier = {.count = 8, .sum = 0, .squares = 0},
          .slots = 32,
          .pace = 6,
          .least_start = 2};
}

TEST(Forecast, TasksThatTookNoTime_EndNoSoonerThanTheGridCanStartThem) {
  const auto progress = without_durations();
  const auto result = forecast(progress);
  EXPECT_EQ(result.method, Method::history);
  ASSERT_TRUE(result.end && result.between);
  EXPECT_GE(*result.end, progress.now + seconds{100'000 / 6});
  EXPECT_LT(*result.end, progress.now + seconds{100'000 / 5});
  EXPECT_GE(result.between->latest, *result.end);
}

TEST(Forecast, ThroughputOfTheFirstSeconds_IsBoundedByThatOfTheGrid_UntilAGreaterOneIsMeasured) {
  auto progress = without_durations();
  progress.durations = progress.earlier;
  progress.started = progress.now - seconds{1};
  progress.ended_in_window = 100;
  progress.running = 12;
  EXPECT_GE(*forecast(progress).end, progress.now + seconds{100'000 / 6});
  progress.started = progress.now - seconds{100};
  progress.ended_in_window = 2'000;
  const auto measured = forecast(progress);
  EXPECT_EQ(*measured.end, progress.now + seconds{5'000});
  ASSERT_TRUE(measured.between) << "also of durations that are all 0";
  EXPECT_LT(measured.between->earliest, *measured.end);
}

TEST(Forecast, LongTasks_AreNotBoundedByTheGrid) {
  auto progress = a_progress(seconds{100});
  const auto unbounded = forecast(progress);
  progress.pace = 6;
  progress.least_start = 2;
  EXPECT_EQ(forecast(progress).end, unbounded.end);
  EXPECT_EQ(forecast(progress).between, unbounded.between);
}

TEST(Pace, IsThatOfTheScarcest_CoresCyclesOrStarts) {
  EXPECT_DOUBLE_EQ(most_tasks_a_second({.slots = 4, .per_cycle = 1000, .cycle = 5}), 2.0) << "2 s for each job on each core";
  EXPECT_DOUBLE_EQ(most_tasks_a_second({.slots = 8, .per_cycle = 1000, .cycle = 5, .start_cost = 8.0}), 1.0) << "as measured";
  EXPECT_DOUBLE_EQ(most_tasks_a_second({.slots = 1000, .per_cycle = 10, .cycle = 5}), 2.0) << "10 jobs in each cycle";
  EXPECT_DOUBLE_EQ(most_tasks_a_second({.slots = 1000, .per_cycle = 1500, .cycle = 5}), 3.0) << "what OAR starts";
  EXPECT_DOUBLE_EQ(most_tasks_a_second({.slots = 0, .per_cycle = 10, .cycle = 5}), 0.0);
}

TEST(Pace, OfPools_IsThatOfTheTasksThatAJobTakes) {
  const Pace pools{.slots = 122, .per_cycle = 1000, .cycle = 5, .pool = Pace::Pool{.duration = 120, .task = 1}};
  EXPECT_DOUBLE_EQ(most_tasks_a_second(pools), 120.0);
  auto side_by_side = pools;
  side_by_side.slots = 61;
  side_by_side.pool->workers = 4;
  EXPECT_DOUBLE_EQ(most_tasks_a_second(side_by_side), 240.0);
  auto long_tasks = pools;
  long_tasks.pool->task = 500;
  EXPECT_DOUBLE_EQ(most_tasks_a_second(long_tasks), 1.0) << "a job takes one task at least";
}

TEST(Forecast, Methods_HaveNames) {
  EXPECT_EQ(name_of(Method::average), "average");
  EXPECT_EQ(name_of(Method::throughput), "throughput");
  EXPECT_EQ(name_of(Method::none), "none");
}

}  // namespace
}  // namespace gleaner::prediction
