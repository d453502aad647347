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
  // Of durations that are all alike, the residuals are uniform; the greatest of n is below x with (x / mean) ^ n.
  EXPECT_NEAR(last_residual(100, 0.0, 10, 0.5), 100 * std::pow(0.5, 0.1), 2.0);
  // Of exponential ones they are the durations themselves.
  EXPECT_NEAR(last_residual(100, 1.0, 20, 0.9), -100 * std::log(1 - std::pow(0.9, 1.0 / 20)), 30.0);
}

TEST(Forecast, WithoutAJobOfItsOwn_RestsOnEarlierCampaigns_ThenOnItsWalltime_AndSaysSo) {
  Progress progress{.now = at(0),
                    .started = at(0),
                    .remaining = 100,
                    .durations = {},
                    .earlier = {.count = 50, .sum = 3000, .squares = 181'000},
                    .walltime = 600,
                    .slots = 10};
  const auto history = forecast(progress);
  EXPECT_EQ(history.method, Method::history);
  EXPECT_EQ(*history.end, at(600));
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
  const auto later = forecast_start({.now = at(0), .cycle = 5, .next_end = 20, .ahead = 600, .ahead_most = 3600});
  EXPECT_EQ(later->start, at(605));
  EXPECT_LT(later->between.earliest, at(10));
  EXPECT_GT(later->between.latest, at(3600));
  EXPECT_FALSE(forecast_start({.now = at(0)}));
}

}  // namespace
}  // namespace gleaner::prediction
