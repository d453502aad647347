#pragma once
#include "lib/process/config.hpp"
#include "lib/store/database.hpp"

namespace gleaner::almighty {

/// Checks the laws of the database once per `check_period`, whichever almighty conducts: those that can be checked without reading finished
/// work. A breach opens an event (LAW_BROKEN_<law>), which is closed when the law holds again. Takes at most a third of `lease_duration`; a
/// law that is not reached, or takes longer, keeps its event. The most expensive laws come last.
void check_laws(const process::Config& config, store::Database& database, store::Term term);

}  // namespace gleaner::almighty
