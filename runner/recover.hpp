#pragma once
#include "lib/fleet/fleet.hpp"
#include "lib/grid/epochs.hpp"

namespace gleaner::runner {

/// After a restore of the database: finds the launches on a cluster that the grid made after the dump, among the jobs of its users, and
/// their pools by their files. Those of campaigns that are not over are written as launches whose answer was lost, so that reconcile()
/// follows their jobs. An event says what was found, what could not be read, and which jobs are not followed, as they are of another login.
/// Nothing is sent to the cluster before that. False: the cluster did not answer, or the turn's time is over; the next turn begins again.
[[nodiscard]] bool recover(fleet::Visit& visit, const grid::Epochs& epochs);

}  // namespace gleaner::runner
