#pragma once
#include <vector>

#include "metascheduler/planner/candidate.hpp"
#include "metascheduler/planner/orders/order.hpp"

namespace gleaner::planner {

/// Stage 2. Who goes first: the test campaigns, then the others, each group by the order policy.
void prioritize(const CampaignOrder& order, std::vector<Contender>& contenders);

}  // namespace gleaner::planner
