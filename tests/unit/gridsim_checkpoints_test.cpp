#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "sim/gridsim/metrics.hpp"
#include "tests/unit/gridsim_scenarios.hpp"

namespace gleaner::gridsim {
namespace {

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
  const auto scenario = often_preempted(with_checkpoints("auto"), 1, 40, true);
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
    return scenario_in(fmt::format(R"({{"configuration": {{"cycle_period": "300s", "checkpoint_patience": "{}"}},
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
