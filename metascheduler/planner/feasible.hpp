#pragma once
#include <optional>
#include <vector>

#include "metascheduler/planner/draft.hpp"

namespace gleaner::planner {

/// Stage 1. The campaigns and clusters that can be planned at all: states, brakes, clusters that
/// answer, users known there, requests that the cluster could ever satisfy. The others get their
/// decision in the draft. The result is in the order of the ids.
[[nodiscard]] std::vector<Contender> feasible(Draft& draft);

/// Why nothing of a campaign can be sent to a cluster at all, neither a task that waits nor a replica; nothing when it can.
[[nodiscard]] std::optional<Reason> why_not(const CampaignView& campaign, const ClusterView& cluster, const PairView& pair);

}  // namespace gleaner::planner
