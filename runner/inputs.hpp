#pragma once
#include <string>

#include "lib/fleet/fleet.hpp"
#include "lib/grid/epochs.hpp"
#include "runner/runner.hpp"

namespace gleaner::runner {

/// Brings input files of campaigns to the cluster, a few pieces of each in turn (InputTurns), for a few seconds of a turn of the runner;
/// the next one continues. A piece counts as
/// there when OAR lists it with its size, whatever OAR answered when it was sent. A campaign whose files cannot be read here, or written
/// there, gets the event INPUTS_NOT_SENT and a brake; the others go on.
void send_inputs(fleet::Visit& visit, const grid::Epochs& epochs, Counts& counts);

}  // namespace gleaner::runner
