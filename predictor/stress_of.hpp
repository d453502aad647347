#pragma once
#include <vector>

#include "lib/process/config.hpp"
#include "lib/store/stress.hpp"

namespace gleaner::predictor {

enum class StressChange { none, lowered, raised, lifted };

struct JudgedCluster {
  store::StressedCluster cluster;
  StressChange change = StressChange::none;
};
struct JudgedStress {
  std::vector<JudgedCluster> clusters;  ///< clusters with a poll that was not judged before
  std::vector<grid::JobId> forgotten;   ///< samples to delete
};

/// Judges how many of our jobs each cluster takes from now on. Pure.
[[nodiscard]] JudgedStress stress_of(const store::StressFacts& facts, const process::Config& config);

}  // namespace gleaner::predictor
