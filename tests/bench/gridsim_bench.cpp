#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "sim/gridsim/engine/settings.hpp"
#include "sim/gridsim/engine/simulation.hpp"
#include "sim/gridsim/metrics.hpp"
#include "tests/unit/gridsim_scenarios.hpp"

namespace gleaner::gridsim {
namespace {

// Chance decides which local jobs come, so that one day proves little: as many as make the mean certain to a tenth of a percent.
constexpr int kDays = 32;

TEST(DefaultAlgorithm, OnSharedClusters_UsesNearlyAllThatAnOmniscientSchedulerWould) {
  auto scenario = shared_clusters();
  ASSERT_EQ(scenario.config.predictor_algorithm, default_config().predictor_algorithm);
  double used = 0.0, worst = 1.0, killed = 0.0, most_killed = 0.0;
  std::int64_t before_full = 0;
  for (int day = 1; day <= kDays; ++day) {
    scenario.seed = static_cast<std::uint64_t>(day);
    const auto metrics = measure(scenario, simulate(scenario));
    used += metrics.efficiency() / kDays;
    worst = std::min(worst, metrics.efficiency());
    killed += metrics.waste() / kDays;
    most_killed = std::max(most_killed, metrics.waste());
    ASSERT_TRUE(metrics.all.submitted_before_full);
    before_full = std::max<std::int64_t>(before_full, *metrics.all.submitted_before_full);
  }
  fmt::print(
      "{} days: {:.2f} % of the omniscient figure (worst {:.2f} %), {:.2f} % killed (worst {:.2f} %), {} jobs before 90 % were in use\n",
      kDays, 100.0 * used, 100.0 * worst, 100.0 * killed, 100.0 * most_killed, before_full);
  EXPECT_GE(used, 0.984);
  EXPECT_GE(worst, 0.97);
  EXPECT_LE(killed, 0.01);
  EXPECT_LT(most_killed, 0.025);
  EXPECT_LE(before_full, 60);
}

}  // namespace
}  // namespace gleaner::gridsim
