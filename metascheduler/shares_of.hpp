#pragma once
#include "lib/grid/policy_facts.hpp"
#include "lib/process/config.hpp"
#include "metascheduler/planner/snapshot.hpp"

namespace gleaner::metascheduler {

/// The users and the tree of shares as the fair orders see them, in `snapshot`, with the members of groups that have campaigns or usage. A
/// user's share is the product of the shares on the way from the root, each against its siblings; a user in several projects has their sum.
/// Usage is in days of the whole grid, decayed. Also the campaigns' priorities by project and by group.
/// @param resources  of all clusters
void fill_shares(planner::Snapshot& snapshot, const grid::PolicyFacts& facts, const process::Config& config, double resources);

}  // namespace gleaner::metascheduler
