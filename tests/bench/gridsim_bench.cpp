#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

#include "sim/gridsim/report.hpp"
#include "sim/gridsim/scenario_file.hpp"
#include "sim/gridsim/settings.hpp"

namespace gleaner::gridsim {
namespace {

Scenario shared_clusters() {
  std::ifstream input{"examples/shared-clusters.json"};
  const std::string text{std::istreambuf_iterator<char>{input}, {}};
  auto scenario = read_scenario(text, "examples");
  if (!scenario) throw std::logic_error{jdl::render(scenario.error(), "shared-clusters.json")};
  return *std::move(scenario);
}

// Jobs of 1, 2, 4 and 16 resources, 10 s to 2 h, on two clusters of 100 that local users share.
TEST(DefaultAlgorithm, OnSharedClusters_UsesNearlyAllThatAnOmniscientSchedulerWould) {
  const auto scenario = shared_clusters();
  ASSERT_EQ(scenario.config.predictor_algorithm, default_config().predictor_algorithm);
  const auto metrics = measure(scenario, simulate(scenario));
  EXPECT_GE(metrics.efficiency(), 0.98);
  EXPECT_LT(metrics.waste(), 0.02);
  ASSERT_TRUE(metrics.all.submitted_before_full);
  EXPECT_LE(*metrics.all.submitted_before_full, 200);
  RecordProperty("efficiency", std::to_string(metrics.efficiency()));
  RecordProperty("waste", std::to_string(metrics.waste()));
}

}  // namespace
}  // namespace gleaner::gridsim
