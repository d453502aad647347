#pragma once
#include <functional>
#include <string>
#include <vector>

#include "almighty/modules.hpp"
#include "lib/process/config.hpp"
#include "lib/store/database.hpp"

namespace gleaner::almighty {

/// A function that renews the lease each time that a third of its duration has passed; to be called often. It throws store::LeaseLost when
/// another almighty has taken the lease.
[[nodiscard]] std::function<void()> keeper_of_lease(const process::Config& config, store::Database& database, store::Term term);

/// Runs the modules of one cycle in their order, and logs the cycle. If a module fails, an event is opened, and the other modules run; its
/// next turn that succeeds closes the event, unless an earlier one was still at it. A module that still waits for a slow cluster after
/// `module_patience` finishes in the background.
void run_cycle(const process::Config& config, store::Database& database, store::Term term, Turns& modules);

/// Logs the turns that were left to finish in the background and are over now, and opens or closes their events.
void report_over(store::Database& database, store::Term term, Turns& modules);

}  // namespace gleaner::almighty
