#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <queue>
#include <random>
#include <vector>

#include "predictor/algorithms/forecast.hpp"
#include "predictor/algorithms/spread.hpp"

// How often the end is really within the interval that is said to hold it in 8 of 10 cases.
namespace gleaner::prediction {
namespace {

using Generator = std::mt19937_64;
using Draw = std::function<double(Generator&)>;

/// A bag of tasks on so many slots, looked at when a part of them is done.
struct Bag {
  int tasks = 400;
  int slots = 20;
  double part = 0.5;
};

grid::Instant at(double seconds) {
  return grid::from_unix(1'000'000) + std::chrono::duration_cast<grid::Instant::duration>(std::chrono::duration<double>{seconds});
}

/// Plays it; whether its end was within the interval forecast on the way.
bool holds(const Bag& bag, const Draw& draw, Generator& generator) {
  struct Run {
    double end, duration;
    bool operator<(const Run& other) const { return end > other.end; }
  };
  std::priority_queue<Run> running;
  int taken = 0;
  const auto start = [&](double now) {
    const double duration = draw(generator);
    running.push({now + duration, duration});
    ++taken;
  };
  for (int i = 0; i < bag.slots; ++i) start(0.0);
  grid::Durations done;
  std::optional<Forecast> said;
  double now = 0.0;
  while (!running.empty()) {
    const auto one = running.top();
    running.pop();
    now = one.end;
    ++done.count;
    done.sum += one.duration;
    done.squares += one.duration * one.duration;
    if (taken < bag.tasks) start(now);
    if (said || static_cast<double>(done.count) < bag.part * bag.tasks) continue;
    said = forecast({.now = at(now),
                     .started = at(0.0),
                     .remaining = bag.tasks - done.count,
                     .running = static_cast<std::int64_t>(running.size()),
                     .ended_in_window = done.count,
                     .window = grid::Seconds{1'000'000'000},
                     .durations = done});
  }
  return said && said->between && said->between->earliest <= at(now) && at(now) <= said->between->latest;
}

double coverage(const Bag& bag, const Draw& draw) {
  constexpr int kBags = 200;
  Generator generator{20260521};
  int held = 0;
  for (int i = 0; i < kBags; ++i) held += holds(bag, draw, generator) ? 1 : 0;
  return double(held) / kBags;
}

double uniform(Generator& generator) { return std::uniform_real_distribution<>{30.0, 300.0}(generator); }
double exponential(Generator& generator) { return std::exponential_distribution<>{1.0 / 120.0}(generator); }
double gamma(Generator& generator) { return std::gamma_distribution<>{4.0, 30.0}(generator); }
double lognormal(Generator& generator) { return std::lognormal_distribution<>{4.5, 0.6}(generator); }
double two_kinds(Generator& generator) {
  return std::bernoulli_distribution{0.3}(generator) ? 300.0 + 60.0 * uniform(generator) / 300.0 : uniform(generator) / 3.0;
}

TEST(Interval, HoldsTheEnd_InSomeEightOfTenCases_WhateverTheDurations) {
  const std::vector<std::pair<std::string, Draw>> kinds{
      {"uniform", uniform}, {"exponential", exponential}, {"gamma", gamma}, {"lognormal", lognormal}, {"two kinds", two_kinds}};
  for (const auto& [name, draw] : kinds) {
    for (const auto& bag : {Bag{400, 20, 0.5}, Bag{1000, 50, 0.3}, Bag{150, 16, 0.4}}) {
      const double share = coverage(bag, draw);
      RecordProperty(fmt::format("{}_{}", name == "two kinds" ? "two_kinds" : name, bag.tasks), fmt::format("{:.3f}", share));
      EXPECT_GE(share, 0.70) << name << ", " << bag.tasks << " tasks on " << bag.slots;
      EXPECT_LE(share, 0.95) << name << ", " << bag.tasks << " tasks on " << bag.slots;
    }
  }
}

TEST(Interval, HoldsTheExpectedEnd_AndNarrows_AsMoreIsKnown) {
  Progress progress{
      .now = at(0), .started = at(-100), .remaining = 100, .running = 10, .durations = {.count = 3, .sum = 360, .squares = 50'000}};
  const auto few = forecast(progress);
  progress.durations = {.count = 300, .sum = 36'000, .squares = 5'000'000};
  const auto many = forecast(progress);
  EXPECT_LE(few.between->earliest, *few.end);
  EXPECT_GE(few.between->latest, *few.end);
  EXPECT_LT(many.between->latest - many.between->earliest, few.between->latest - few.between->earliest);
}

TEST(Interval, TheLastOfManyResiduals_IsThatOfTheDistribution) {
  // If all durations are alike, the residuals are uniform; the greatest of n is below x with (x / mean) ^ n.
  EXPECT_NEAR(last_residual(100, 0.0, 10, 0.5), 100 * std::pow(0.5, 0.1), 2.0);
  // If they are exponential, the residuals are the durations themselves.
  EXPECT_NEAR(last_residual(100, 1.0, 20, 0.9), -100 * std::log(1 - std::pow(0.9, 1.0 / 20)), 30.0);
}

TEST(Forecast, WithoutAJobOfItsOwn_RestsOnEarlierCampaigns_ThenOnItsWalltime_AndStatesThat) {
  Progress progress{.now = at(0),
                    .started = at(0),
                    .remaining = 100,
                    .durations = {},
                    .earlier = {.count = 50, .sum = 3000, .squares = 181'000},
                    .walltime = 600,
                    .slots = 10};
  const auto history = forecast(progress);
  EXPECT_EQ(history.method, Method::history);
  EXPECT_GT(*history.end, at(560)) << "90 wait for 10 slots, and the last one ends";
  EXPECT_LT(*history.end, at(640));
  EXPECT_TRUE(history.between);
  progress.earlier = {};
  const auto walltime = forecast(progress);
  EXPECT_EQ(walltime.method, Method::walltime);
  EXPECT_EQ(*walltime.end, at(6000));
  EXPECT_EQ(walltime.between->latest, at(6000));
  progress.walltime = 0;
  EXPECT_EQ(forecast(progress).method, Method::none);
  EXPECT_EQ(name_of(Method::history), "history");
  EXPECT_EQ(name_of(Method::walltime), "walltime");
}

TEST(StartForecast, WithRoom_IsTheNextCycle_AndBehindOthers_WhenTheirBagsAreEmpty) {
  const auto now = forecast_start({.now = at(0), .cycle = 5, .has_room = true});
  EXPECT_EQ(now->start, at(5));
  EXPECT_LE(now->between.latest, at(30));
  const auto later = forecast_start({.now = at(0), .cycle = 5, .next_end = 20, .ahead = 600});
  EXPECT_EQ(later->start, at(620));
  EXPECT_LT(later->between.earliest, at(10));
  EXPECT_GT(later->between.latest, at(640));
  EXPECT_FALSE(forecast_start({.now = at(0)}));
}

TEST(StartForecast, BeginsNotBeforeThoseThatCertainlyGoBeforeCanBeOver) {
  Turn turn{.now = at(0), .cycle = 5, .next_end = 20, .ahead = 600, .ahead_deviation = 50};
  turn.certain = Turn::Certain{.known = 600, .starts = 30};
  const auto behind = forecast_start(turn);
  EXPECT_EQ(behind->start, at(620));
  EXPECT_GT(behind->between.earliest, at(540));
  EXPECT_LT(behind->between.earliest, at(560));
  EXPECT_LT(behind->between.latest, at(700));
  turn.certain = Turn::Certain{.known = 0, .starts = 30};
  EXPECT_EQ(forecast_start(turn)->between.earliest, at(30)) << "no duration is known";
  turn.has_room = true;
  EXPECT_EQ(forecast_start(turn)->start, at(35));
  EXPECT_EQ(forecast_start(turn)->between.earliest, at(30));
}

TEST(DelayedEnd, HasAnIntervalNarrowerThanTheSum_ButNotOfABound) {
  const StartForecast start{.start = at(100), .between = {at(70), at(130)}};
  Forecast rest{.end = at(50), .between = grid::Interval{at(10), at(90)}, .method = Method::history};
  const auto later = delayed(rest, start, at(0));
  EXPECT_EQ(*later.end, at(150));
  EXPECT_GT(later.between->earliest, at(150 - 70));
  EXPECT_LT(later.between->earliest, at(150 - 50));
  EXPECT_LT(later.between->latest, at(150 + 70));
  rest.least = 40;
  EXPECT_EQ(delayed(rest, start, at(0)).between->earliest, at(110)) << "start and rest, each at the least";
  rest.method = Method::walltime;
  EXPECT_EQ(delayed(rest, start, at(0)).between->latest, at(220));
}

TEST(Spread, OfJobsThatBeginTogether_EndsLater_ThanOfThoseInTheMiddle) {
  prediction::Bag bag{.mean = 100, .deviation = 40, .seen = 100, .remaining = 40, .slots = 10, .ended = 100};
  const auto running = spread_of(bag);
  EXPECT_LT(running.least, running.likely);
  EXPECT_LT(running.likely, running.most);
  bag.phase = Phase::at_once;
  EXPECT_GT(spread_of(bag).likely, running.likely);
  bag.phase = Phase::one_by_one;
  EXPECT_GT(spread_of(bag).likely, running.likely) << "39 begin one after the other";
  bag = {.mean = 100, .deviation = 40, .seen = 100, .remaining = 1, .slots = 1, .ended = 100, .phase = Phase::at_once};
  EXPECT_NEAR(spread_of(bag).likely, 95, 5) << "the median of one duration";
}

TEST(Interval, OfTheWalltimeAlone_BeginsNotBeforeTheWaitingTasksCanHaveStarted) {
  const auto result = forecast(
      {.now = at(0), .started = at(0), .remaining = 60, .durations = {}, .walltime = 600, .slots = 16, .pace = 3, .least_start = 2});
  EXPECT_EQ(result.method, Method::walltime);
  EXPECT_EQ(result.between->earliest, at(22));
  EXPECT_EQ(result.between->latest, *result.end);
}

TEST(Interval, ContainsTheEnd_AndBeginsNotBeforeThePaceAllows_WhateverTheFigures) {
  Generator generator{4711};
  const auto below = [&](int most) { return std::uniform_int_distribution<int>{0, most}(generator); };
  int with_interval = 0;
  for (int i = 0; i < 20'000; ++i) {
    const auto durations = [&] {
      const auto count = below(3) * below(200);
      const double mean = below(2) * below(500), deviation = mean * below(20) / 10;
      return grid::Durations{.count = count, .sum = count * mean, .squares = count * (mean * mean + deviation * deviation)};
    };
    const Progress progress{.now = at(0),
                            .started = at(-below(3) * below(5000)),
                            .remaining = 1 + below(3) * below(30'000),
                            .running = below(3) * below(60),
                            .ended_in_window = below(2) * below(1000),
                            .durations = durations(),
                            .earlier = durations(),
                            .walltime = 1.0 + below(7200),
                            .slots = below(64),
                            .cycle = 1.0 + below(10),
                            .pace = 0.1 * below(60),
                            .least_start = 2};
    const auto result = forecast(progress);
    ASSERT_EQ(result.end.has_value(), result.method != Method::none);
    if (!result.between) continue;
    ++with_interval;
    ASSERT_LE(result.between->earliest, *result.end) << i;
    ASSERT_GE(result.between->latest, *result.end) << i;
    const bool is_faster = result.throughput > progress.pace;
    if (is_faster || !(progress.pace > 0.0) || progress.remaining <= progress.running) continue;
    const double least = 2 + static_cast<double>(progress.remaining - progress.running) / progress.pace;
    ASSERT_GE(result.between->earliest, at(least) - std::chrono::milliseconds{1}) << i;
  }
  EXPECT_GT(with_interval, 5000);
}

}  // namespace
}  // namespace gleaner::prediction
