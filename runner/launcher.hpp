#pragma once
#include <string>

#include "lib/fleet/fleet.hpp"
#include "runner/runner.hpp"

namespace gleaner::runner {

/// Makes the planned launches of one cluster (docs/architecture/exactly-once.md): the intent is
/// written, the POST is sent, the answer is written, each in its own step, so that a death between
/// two of them leaves a launch that the next run finds. Right before the POST each launch is looked
/// at once more: this process may have been stopped in between for any time. A launch that cannot be
/// begun or written is set aside, the others go on.
void make_launches(fleet::Visit& visit, const std::string& grid, Counts& counts);

}  // namespace gleaner::runner
