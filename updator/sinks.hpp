#pragma once
#include <span>

#include "lib/fleet/fleet.hpp"

namespace gleaner::updator {

/// Finds the campaigns whose last jobs the cluster swallowed (grid::find_sink), among those of which a job has just been done there, or
/// whose jobs ended elsewhere since. For each: an event SINK that names the tasks, a brake on the pair, and the pair is suspected until a
/// job there takes its usual time.
/// @param done  jobs whose successful ends were written in the same transaction
void brake_sinks(store::Transaction& transaction, const fleet::Visit& visit, std::span<const grid::JobId> done, grid::Instant now);

}  // namespace gleaner::updator
