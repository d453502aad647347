#pragma once
#include <vector>

#include "metascheduler/planner/candidate.hpp"
#include "metascheduler/planner/ledger.hpp"
#include "metascheduler/planner/schedulers/scheduler.hpp"

namespace gleaner::planner {

/// The figures of a cluster and of what it offers a candidate.
[[nodiscard]] Figures figures_of(const Candidate& candidate, const Ledger& ledger);

/// Stage 4. The resources that each cluster has for the campaign, and the jobs that fit in them.
void match(const CampaignScheduler& scheduler, const Ledger& ledger, Contender& contender, std::vector<Decision>& decisions);

}  // namespace gleaner::planner
