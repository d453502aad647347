#pragma once
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

}  // namespace gleaner::gridsim
