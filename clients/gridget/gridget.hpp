#pragma once
#include "lib/process/run.hpp"

namespace gleaner::clients::gridget {

/// Fetches the outputs of a campaign, or lists them. Exit codes: `ok` when all are here, whole; `failure` when some are missing or failed;
/// `unavailable` when a cluster could not be reached.
[[nodiscard]] process::Outcome gridget(const process::Context& context);

}  // namespace gleaner::clients::gridget
