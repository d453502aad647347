#pragma once
#include <functional>
#include <string>
#include <vector>

#include "almighty/modules.hpp"
#include "lib/process/config.hpp"
#include "lib/store/database.hpp"

namespace gleaner::almighty {

/// Renews the lease each time that a third of it has passed; to be called often. Throws LeaseLost when another has taken it.
[[nodiscard]] std::function<void()> keeper_of_lease(const process::Config& config, store::Database& database, store::Term term);

/// Runs the modules of one cycle in their order, and logs the cycle. A module that fails is an
/// event; the others go on. A module still waiting for a slow cluster after `module_patience` is
/// left to finish beside the next ones.
void run_cycle(const process::Config& config, store::Database& database, store::Term term, Modules& modules);

}  // namespace gleaner::almighty
