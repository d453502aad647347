#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <iostream>
#include <map>
#include <stdexcept>
#include <string>

#include "sim/gridsim/engine/scenario_file.hpp"
#include "sim/gridsim/metrics.hpp"

namespace gleaner::gridsim {
namespace {

Scenario scenario_in(const std::string& text) {
  auto scenario = read_scenario(text, ".");
  if (!scenario) throw std::logic_error{jdl::render(scenario.error(), "scenario")};
  return *scenario;
}

/// One core that its owners take back every two hours on average, at random times, for a moment. Unless it is `signalled`, OAR kills the
/// job without a signal before.
Scenario often_preempted(const std::string& checkpoint, int seed, int tasks = 40, bool signalled = false) {
  return scenario_in(fmt::format(R"({{"seed": {}, "configuration": {{"cycle_period": "300s"}},
    "clusters": {{"alpha": {{"nodes": 1, "cores": 1, "start_delay": "0s", "preemption_delay": "0s", "preemption_signal": {},
                             "local": {{"every": {{"exponential": "2h"}}, "duration": "1s", "resources": 1}}}}}},
    "campaigns": [{{"tasks": {}, "duration": "8h", "walltime": "48:00:00", "max_attempts": 100000{}}}]}})",
                                 seed, signalled, tasks, checkpoint));
}

std::string with(const std::string& period) { return fmt::format(R"(, "checkpoint": {{"period": "{}", "cost": "0:01:00"}})", period); }

/// Seconds beyond those of the tasks: checkpoints, and work that was done twice.
double lost(const std::string& period) {
  double seconds = 0;
  for (int seed = 1; seed <= 3; ++seed) {
    const auto scenario = often_preempted(with(period), seed);
    const auto outcome = simulate(scenario);
    const auto all = measure(scenario, outcome).all;
    EXPECT_TRUE(outcome.complete);
    EXPECT_EQ(outcome.campaigns.at(0).done, 40);
    EXPECT_NEAR(all.used, 40 * 8 * 3600, 1) << "each second of a task counts once";
    seconds += all.wasted + all.overhead;
  }
  return seconds;
}

TEST(GridsimCheckpoints, TheMeasuredPeriod_LosesAtMostATenthMoreThanTheBestFixedOne) {
  std::map<std::string, double> fixed;
  for (const auto* period : {"0:05:00", "0:08:00", "0:12:00", "0:16:00", "0:20:00", "0:30:00", "1:00:00"}) fixed[period] = lost(period);
  const auto best = std::ranges::min_element(fixed, {}, [](const auto& one) { return one.second; });
  const double measured = lost("auto");
  for (const auto& [period, seconds] : fixed) std::cout << fmt::format("period {}: {:.1f} h lost\n", period, seconds / 3600);
  std::cout << fmt::format("measured period: {:.1f} h lost, {:.3f} of the best\n", measured / 3600, measured / best->second);
  EXPECT_LE(measured, 1.1 * best->second) << "the best is " << best->first;
  EXPECT_GT(fixed.at("0:05:00"), 1.2 * best->second) << "a period that is too short costs";
  EXPECT_GT(fixed.at("1:00:00"), 1.2 * best->second) << "and so does one that is too long";
}

/// Alpha's only core is taken for good by a local job; beta's is free.
TEST(GridsimCheckpoints, Document003_ATask_ContinuesOnAClusterThatSharesTheHome_AndElsewhereBeginsAnew) {
  const auto ended = [](const std::string& home) {
    const auto scenario = scenario_in(fmt::format(R"({{"seed": 1, "configuration": {{"cycle_period": "60s", "checkpoint_patience": "1h"}},
      "clusters": {{"alpha": {{"nodes": 1, "cores": 1, "power": 2, "speed": 1, "shared_home": "site",
                               "local": {{"every": "5h", "duration": "100h", "resources": 1}}}},
                    "beta": {{"nodes": 1, "cores": 1, "shared_home": "{}"}}}},
      "campaigns": [{{"tasks": 1, "duration": "8h", "walltime": "48:00:00", "checkpoint": {{"period": "0:30:00", "cost": "0:01:00"}}}}]}})",
                                                  home));
    const auto outcome = simulate(scenario);
    EXPECT_EQ(outcome.campaigns.at(0).done, 1);
    return outcome.campaigns.at(0).ended.value_or(0) / 3600;
  };
  const double shared = ended("site"), elsewhere = ended("other");
  EXPECT_LT(shared, 8.5) << "hours: 8 of work, and a little for checkpoints and the way";
  EXPECT_GT(elsewhere, 8 + 5) << "what was done on alpha until it was taken, the patience, and the whole on beta";
}

TEST(GridsimCheckpoints, AJobThatOarSignalsBeforeItsPreemption_LosesTheTimeSinceThen_AndIsSignalledByTheGridEverMoreRarely) {
  const auto scenario = often_preempted(with("auto"), 1, 40, true);
  const auto outcome = simulate(scenario);
  ASSERT_TRUE(outcome.complete);
  EXPECT_NEAR(measure(scenario, outcome).all.used, 40 * 8 * 3600, 1) << "each second of a task counts once";
  constexpr double kMargin = 60 + 30;
  int preempted = 0;
  for (const auto& job : outcome.jobs) {
    if (job.end != JobEnd::preempted) continue;
    ++preempted;
    EXPECT_LE(use_of(job, outcome.end).lost, kMargin + 1e-3) << "less, where another checkpoint was written in that time";
  }
  EXPECT_GT(preempted, 100);
  EXPECT_GT(outcome.jobs.back().checkpoints.period, 3 * outcome.jobs.front().checkpoints.period);
  const auto& waits = outcome.local_waits;
  EXPECT_TRUE(std::ranges::any_of(waits, [&](const auto& wait) { return std::abs(wait.seconds - kMargin) < 1e-3; })) << "local jobs wait";
}

TEST(GridsimCheckpoints, WithoutThem_TheWholeWorkOfAKilledJobIsLost) {
  const auto scenario = often_preempted("", 1, 4);
  const auto outcome = simulate(scenario);
  const auto all = measure(scenario, outcome).all;
  ASSERT_TRUE(outcome.complete);
  EXPECT_GT(all.wasted, 4 * 8 * 3600);
}

TEST(GridsimCheckpoints, ATaskLongerThanItsWalltime_ContinuesInTheNextJob) {
  const auto scenario = scenario_in(R"({"clusters": {"alpha": {"nodes": 1, "cores": 1}},
    "campaigns": [{"tasks": 2, "duration": "5h", "walltime": "2:00:00", "checkpoint": {"period": "0:30:00", "cost": "0:01:00"}}]})");
  const auto outcome = simulate(scenario);
  ASSERT_TRUE(outcome.complete);
  EXPECT_EQ(outcome.campaigns.at(0).done, 2);
  EXPECT_EQ(outcome.campaigns.at(0).failed, 0);
  EXPECT_GE(outcome.jobs.size(), 6U);
}

TEST(GridsimCheckpoints, ATaskWaitsForTheClusterWithItsCheckpoint_AndBeginsAnewElsewhereAfterAWhile) {
  // alpha is taken by its owners an hour after the beginning, for a day; beta is free.
  const auto scenario_of = [](const std::string& patience) {
    return scenario_in(fmt::format(R"({{"configuration": {{"checkpoint_patience": "{}"}},
      "clusters": {{"alpha": {{"nodes": 1, "cores": 1, "local": {{"every": {{"list": ["1h", "100d"]}}, "duration": "1d", "resources": 1}}}},
                    "beta": {{"nodes": 1, "cores": 1}}}},
      "campaigns": [{{"tasks": 2, "duration": "3h", "walltime": "9:00:00", "checkpoint": {{"period": "0:10:00", "cost": "0:00:10"}}}}]}})",
                                   patience));
  };
  const auto end_of = [](const Scenario& scenario) {
    const auto outcome = simulate(scenario);
    EXPECT_EQ(outcome.campaigns.at(0).done, 2);
    double end = 0;
    for (const auto& job : outcome.jobs) end = std::max(end, seconds_of(job.ended));
    return end;
  };
  EXPECT_LT(end_of(scenario_of("1h")), 8 * 3600);
  EXPECT_GT(end_of(scenario_of("100d")), 24 * 3600);
}

}  // namespace
}  // namespace gleaner::gridsim
