#pragma once
#include <string>

#include "lib/fleet/fleet.hpp"
#include "lib/grid/epochs.hpp"
#include "runner/programs.hpp"
#include "runner/runner.hpp"

namespace gleaner::runner {

/// Makes the planned launches of one cluster (docs/architecture/exactly-once.md): the intent is written, the POST is sent, the answer is
/// written, each in a step of its own, so that a death between two of them leaves a launch that the next run finds. Each launch is checked
/// once more right before the POST, because this process may have been suspended for any time. A launch that cannot be begun or written is
/// set aside, and the others continue. `programs` gets those that their jobs would call.
void make_launches(fleet::Visit& visit, const grid::Epochs& epochs, Programs& programs, Counts& counts);

}  // namespace gleaner::runner
