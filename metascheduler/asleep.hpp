#pragma once
#include "metascheduler/planner/config.hpp"
#include "metascheduler/planner/snapshot.hpp"

namespace gleaner::metascheduler {

/// Decides how many nodes that sleep may be woken for best-effort jobs (`ClusterView::waking`), and takes the others out of the free
/// resources (`asleep`). Where a cluster says what waking is worth (`wake_minutes`), a node is woken for that much work on each of its
/// cores, beside what awake nodes do meanwhile: those with free resources, and those of the campaigns' jobs as they end. While nothing
/// shows how long a campaign's tasks take, a few of them count, by their walltime. A campaign without a job wakes nodes for one job when
/// it is older than `wake_after`. Elsewhere every node may be woken. Source: document 000, `release_empty_instances`. Cost: O(pairs +
/// clusters that sleep · campaigns on them).
void leave_asleep(planner::Snapshot& snapshot, const planner::PlannerConfig& config);

}  // namespace gleaner::metascheduler
