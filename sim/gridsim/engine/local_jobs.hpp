#pragma once
#include <vector>

#include "sim/gridsim/engine/scenario.hpp"

namespace gleaner::gridsim {

/// The local jobs of a cluster up to `end` (seconds), in order of arrival: those of the trace, or random ones from the scenario's seed and
/// the cluster's index.
[[nodiscard]] std::vector<LocalJob> local_jobs(const Scenario& scenario, std::size_t cluster, double end);

}  // namespace gleaner::gridsim
