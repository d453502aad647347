#pragma once
#include "lib/process/config.hpp"
#include "lib/process/run.hpp"

namespace gleaner::almighty {

/// One cycle under a lease of its own; what cron calls. When another almighty conducts, nothing is
/// done, and the exit code says so (try_again).
process::Outcome run_once(const process::Config& config);

/// Conducts until a stop is requested: a cycle every `cycle_period` while anything is going on, every
/// `idle_period` otherwise, and at once when the database tells of a submission, a kill or a
/// resume. While another almighty conducts it stands by; while the database is away, or takes no
/// writes, it waits for it, and an event (DATABASE_UNAVAILABLE) tells afterwards how long.
process::Outcome run_service(const process::Config& config);

}  // namespace gleaner::almighty
