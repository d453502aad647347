#pragma once
#include "lib/fleet/fleet.hpp"
#include "runner/runner.hpp"

namespace gleaner::runner {

/// Settles the launches of a cluster whose answer was lost, or whose runner died in the middle:
/// looks for their jobs among their user's, in every state, by name and command. Found: the jobs are
/// adopted, also a part of an array. Not found for long enough: void, and the tasks go back, bound to
/// this cluster, where the fence holds. Void launches are looked for a while longer: a late orphan is
/// adopted, or, when no task waits for it any more, it lives until nikita has killed it. The turn's time bounds it.
/// False when the cluster did not answer: nothing more is asked of it in this turn.
[[nodiscard]] bool reconcile(fleet::Visit& visit, Counts& counts);

}  // namespace gleaner::runner
