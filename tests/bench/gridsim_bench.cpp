#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sched.h>

#include <algorithm>

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

/// No time is measured here: these days take what the processors have left of what is measured beside them.
void be_idle() {
  const sched_param none{};
  static_cast<void>(::sched_setscheduler(0, SCHED_IDLE, &none));
}

Days simulated(Scenario scenario, const char* what) {
  be_idle();
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

}  // namespace
}  // namespace gleaner::gridsim
