#pragma once
#include "lib/process/run.hpp"

namespace gleaner::gridclean {

/// Lists the jobs of campaigns that are over, by cluster.
process::Outcome gridclean(const process::Context& context);

}  // namespace gleaner::gridclean
