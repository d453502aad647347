#pragma once
#include <map>

#include "lib/process/config.hpp"
#include "lib/store/headroom.hpp"
#include "lib/store/prediction.hpp"

namespace gleaner::predictor {

/// The resources to keep free for local jobs on the observed clusters, by what they asked for at this hour, and by how fast resources
/// of ours come free. At most a fifth of a cluster, and never so many that a waiting job no longer fits. A cluster on which no campaign is
/// in treatment is left out. Pure. Cost: O(pairs).
[[nodiscard]] std::map<grid::ClusterId, int> headrooms_of(const std::map<grid::ClusterId, store::LocalFacts>& local,
                                                          const store::PredictionFacts& facts, const process::Config& config,
                                                          grid::Instant now);

}  // namespace gleaner::predictor
