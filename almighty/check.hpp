#pragma once
#include "lib/process/config.hpp"
#include "lib/store/database.hpp"

namespace gleaner::almighty {

/// Checks the laws of the database once in `check_period`, whoever conducts: those that can be checked without reading what is over. A
/// breach is an event (LAW_BROKEN_<law>), closed when the law holds again. Takes a third of `lease_duration` at most; a law that is not
/// reached, or takes longer, keeps its event. The laws that cost most come last.
void check_laws(const process::Config& config, store::Database& database, store::Term term);

}  // namespace gleaner::almighty
