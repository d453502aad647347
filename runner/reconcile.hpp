#pragma once
#include "lib/fleet/fleet.hpp"
#include "runner/runner.hpp"

namespace gleaner::runner {

/// How long the jobs of a void launch are still looked for.
inline constexpr std::chrono::hours kOrphanWatch{1};

/// Settles the launches of a cluster whose answer was lost, or whose runner died in the middle:
/// looks for their tag among the user's jobs, in every state. Found: the jobs are adopted, also a
/// part of an array. Not found in several looks, spread over more than the time that OAR may take
/// to commit: void, and the tasks go back, bound to this cluster, where the fence holds. Void
/// launches are looked for a while longer: a late orphan is adopted too.
void reconcile(fleet::Visit& visit, Counts& counts);

}  // namespace gleaner::runner
