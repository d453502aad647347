#pragma once
#include "lib/process/config.hpp"
#include "lib/process/run.hpp"

namespace gleaner::almighty {

/// One cycle under a lease of its own; cron calls it. If another almighty holds the lease, nothing is done, and the exit code is try_again.
process::Outcome run_once(const process::Config& config);

/// Conducts until a stop is requested: a cycle every `cycle_period` while the grid has work, every `idle_period` otherwise, and at once
/// when the database notifies of a submission, a kill or a resume. While another almighty conducts, it stands by. While the database is
/// unreachable or read-only, it waits; afterwards an event (DATABASE_UNAVAILABLE) states how long.
process::Outcome run_service(const process::Config& config);

}  // namespace gleaner::almighty
