#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sched.h>

#include <algorithm>
#include <fstream>
#include <iostream>
#include <iterator>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>

#include "sim/gridsim/engine/settings.hpp"
#include "sim/gridsim/engine/simulation.hpp"
#include "sim/gridsim/metrics.hpp"
#include "tests/unit/gridsim_scenarios.hpp"

namespace gleaner::gridsim {
namespace {

// Chance decides which local jobs come, so that one day proves little: as many as make the mean certain to a tenth of a percent.
constexpr int kDays = 32;

/// Fractions, and the most jobs that were submitted to a cluster before 90 % of it were in use.
struct Days {
  double used = 0.0, worst = 1.0;          ///< of what an omniscient scheduler would use: the mean, and on the worst day
  double killed = 0.0, most_killed = 0.0;  ///< of the work
  std::int64_t before_full = 0;
};

/// No time is measured here: simulations take what the processors have left of what is measured beside them.
class Idle : public testing::Environment {
  void SetUp() override {
    const sched_param none{};
    static_cast<void>(::sched_setscheduler(0, SCHED_IDLE, &none));
  }
};
[[maybe_unused]] const auto* const kIdle = testing::AddGlobalTestEnvironment(new Idle);

Days simulated(Scenario scenario, const char* what) {
  EXPECT_EQ(scenario.config.predictor_algorithm, default_config().predictor_algorithm);
  Days days;
  for (int day = 1; day <= kDays; ++day) {
    scenario.seed = static_cast<std::uint64_t>(day);
    const auto metrics = measure(scenario, simulate(scenario));
    days.used += metrics.efficiency() / kDays;
    days.worst = std::min(days.worst, metrics.efficiency());
    days.killed += metrics.waste() / kDays;
    days.most_killed = std::max(days.most_killed, metrics.waste());
    EXPECT_TRUE(metrics.all.submitted_before_full);
    days.before_full = std::max<std::int64_t>(days.before_full, metrics.all.submitted_before_full.value_or(0));
  }
  fmt::print("{}, {} days: {:.2f} % of the omniscient figure (worst {:.2f} %), {:.2f} % killed (worst {:.2f} %), {} jobs before 90 %\n",
             what, kDays, 100.0 * days.used, 100.0 * days.worst, 100.0 * days.killed, 100.0 * days.most_killed, days.before_full);
  return days;
}

TEST(DefaultAlgorithm, OnSharedClusters_UsesNearlyAllThatAnOmniscientSchedulerWould) {
  const auto days = simulated(shared_clusters(), "without checkpoints");
  // For its first 15 s, each campaign has three tasks on each cluster (grid::most_unjudged). So all campaigns begin at once, and jobs of 16
  // cores do not fill the clusters first, which costs a quarter of a percent of the day.
  EXPECT_GE(days.used, 0.982);
  EXPECT_GE(days.worst, 0.958);
  EXPECT_LE(days.killed, 0.01);
  EXPECT_LT(days.most_killed, 0.025);
  EXPECT_LE(days.before_full, 60);
}

TEST(DefaultAlgorithm, OnSharedClusters_LosesLittleToLocalJobs_WhereTasksWriteCheckpoints) {
  auto scenario = shared_clusters();
  for (auto& campaign : scenario.campaigns) campaign.checkpoint_cost = 5.0;
  const auto days = simulated(std::move(scenario), "checkpoints of 5 s");
  EXPECT_GE(days.used, 0.987);
  EXPECT_GE(days.worst, 0.974);
  EXPECT_LE(days.most_killed, 0.005);
  EXPECT_LE(days.before_full, 120);
}

/// Seconds beyond those of the tasks: checkpoints, and work that was done twice.
double lost(const std::string& period) {
  double seconds = 0;
  for (int seed = 1; seed <= 3; ++seed) {
    const auto scenario = often_preempted(with_checkpoints(period), seed);
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

TEST(GridsimPolicies, Document000_TheScenarioOfThePolicies_LeavesNodesAsleep_AndItsBagsTakeLonger) {
  std::ifstream input{"docs/plots/sleep.json"};
  const std::string sleep{std::istreambuf_iterator<char>{input}, {}};
  const auto with = [](std::string text, std::string_view minutes) {
    constexpr std::string_view kKey{"\"wake_minutes\": 0"};
    for (auto at = text.find(kKey); at != std::string::npos; at = text.find(kKey, at + 1))
      text.replace(at, kKey.size(), fmt::format("\"wake_minutes\": {}", minutes));
    const auto scenario = read_scenario(text, "docs/plots");
    if (!scenario) throw std::runtime_error{jdl::render(scenario.error(), "sleep.json")};
    return measure(*scenario, simulate(*scenario));
  };
  const auto before = with(sleep, "0"), after = with(sleep, "30");
  // docs/policies.md has the figures: 171.5 and 99.3 node-hours, 10 and 30 minutes.
  EXPECT_NEAR(before.all.awake / 3600, 171.5, 0.1);
  EXPECT_NEAR(after.all.awake / 3600, 99.3, 0.1);
  EXPECT_NEAR(*before.mean_flow, 627, 1);
  EXPECT_NEAR(*after.mean_flow, 1772, 1);
}

}  // namespace
}  // namespace gleaner::gridsim
