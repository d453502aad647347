#pragma once
#include <vector>

#include "sim/gridsim/engine/scenario.hpp"

namespace gleaner::gridsim {

/// The local jobs of a cluster up to `end` (seconds), in order of arrival: drawn from the scenario's seed
/// and the cluster's place in it, or the trace's.
[[nodiscard]] std::vector<LocalJob> local_jobs(const Scenario& scenario, std::size_t cluster, double end);

}  // namespace gleaner::gridsim
