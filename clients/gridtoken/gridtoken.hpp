#pragma once
#include "lib/process/run.hpp"

namespace gleaner::gridtoken {

/// Shows, gives and deletes tokens for clusters that want one of each user.
process::Outcome gridtoken(const process::Context& context);

}  // namespace gleaner::gridtoken
