#pragma once
#include <fmt/format.h>

#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>

#include "sim/gridsim/engine/scenario_file.hpp"

namespace gleaner::gridsim {

/// examples/shared-clusters.json: jobs of 1, 2, 4 and 16 resources, 10 s to 2 h, on two clusters of 100 that local users share.
inline Scenario shared_clusters() {
  std::ifstream input{"examples/shared-clusters.json"};
  const std::string text{std::istreambuf_iterator<char>{input}, {}};
  auto scenario = read_scenario(text, "examples");
  if (!scenario) throw std::runtime_error{jdl::render(scenario.error(), "shared-clusters.json")};
  return *std::move(scenario);
}

inline Scenario scenario_in(const std::string& text) {
  auto scenario = read_scenario(text, ".");
  if (!scenario) throw std::logic_error{jdl::render(scenario.error(), "scenario")};
  return *scenario;
}

/// One core that its owners take back every two hours on average, at random times, for a moment. Unless it is `signalled`, OAR kills the
/// job without a signal before.
inline Scenario often_preempted(const std::string& checkpoint, int seed, int tasks = 40, bool signalled = false) {
  return scenario_in(fmt::format(R"({{"seed": {}, "configuration": {{"cycle_period": "300s"}},
    "clusters": {{"alpha": {{"nodes": 1, "cores": 1, "start_delay": "0s", "preemption_delay": "0s", "preemption_signal": {},
                             "local": {{"every": {{"exponential": "2h"}}, "duration": "1s", "resources": 1}}}}}},
    "campaigns": [{{"tasks": {}, "duration": "8h", "walltime": "48:00:00", "max_attempts": 100000{}}}]}})",
                                 seed, signalled, tasks, checkpoint));
}

/// The key of a campaign whose tasks write a checkpoint each period, in a minute.
inline std::string with_checkpoints(const std::string& period) {
  return fmt::format(R"(, "checkpoint": {{"period": "{}", "cost": "0:01:00"}})", period);
}

}  // namespace gleaner::gridsim
