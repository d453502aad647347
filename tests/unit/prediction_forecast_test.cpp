#include <gtest/gtest.h>

#include "predictor/algorithms/forecast.hpp"

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

TEST(Forecast, NothingKnown_SaysNothing) {
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

TEST(Forecast, Methods_HaveNames) {
  EXPECT_EQ(name_of(Method::average), "average");
  EXPECT_EQ(name_of(Method::throughput), "throughput");
  EXPECT_EQ(name_of(Method::none), "none");
}

}  // namespace
}  // namespace gleaner::prediction
