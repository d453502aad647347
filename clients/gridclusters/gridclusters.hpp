#pragma once
#include "lib/process/run.hpp"

namespace gleaner::gridclusters {

/// Shows the clusters, as the command line requests.
process::Outcome gridclusters(const process::Context& context);

}  // namespace gleaner::gridclusters
