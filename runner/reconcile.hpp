#pragma once
#include "lib/fleet/fleet.hpp"
#include "runner/runner.hpp"

namespace gleaner::runner {

/// Settles the launches of a cluster whose answer was lost, or whose runner died: searches for their jobs among those of their user, in
/// every state, by name and command. Jobs that are found are adopted, also a part of an array. If none is found for long enough, the launch
/// becomes void, and its tasks go back to the bag, bound to this cluster, where the fence holds. Void launches are searched for a while
/// longer: a late orphan is adopted, and nikita kills it if no task waits for it any more. The turn's time bounds the work. False: the
/// cluster did not answer, and gets no more requests in this turn.
[[nodiscard]] bool reconcile(fleet::Visit& visit, Counts& counts);

}  // namespace gleaner::runner
