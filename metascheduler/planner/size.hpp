#pragma once
#include <vector>

#include "metascheduler/planner/draft.hpp"
#include "metascheduler/planner/orders/order.hpp"
#include "metascheduler/planner/placements/placement.hpp"
#include "metascheduler/planner/schedulers/scheduler.hpp"

namespace gleaner::planner {

/// Stage 6. How many jobs on each cluster, in the order of the candidates: the campaign
/// scheduler's word, of the tasks that are left. Free resources of every cluster go before the
/// queue of any: a task that could run at once does not wait elsewhere. What is given is written
/// into the ledger and the limits.
/// @param most_resources  of this turn; one job is given even when it takes more
[[nodiscard]] Served size(const CampaignScheduler& scheduler, Distribution distribution, double most_resources, Contender& contender,
                          std::vector<Candidate*>& candidates, Draft& draft);

}  // namespace gleaner::planner
