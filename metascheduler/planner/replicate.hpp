#pragma once
#include "metascheduler/planner/draft.hpp"

namespace gleaner::planner {

/// The campaign scheduler `finalize`: campaigns whose JDL allows it, and of whose tasks none waits
/// any more, get second copies of running tasks, each task at most one, on clusters where its first
/// copy is not, and only on resources that are free. Tasks that run longer than expected get theirs
/// before other campaigns get anything; the others when the plan has served everybody.
/// Source: spec/003, "finalize scheduling"; spec/002, "Expired Job Management".
void replicate(ReplicaKind kind, Draft& draft);

}  // namespace gleaner::planner
