#pragma once
#include <vector>

#include "metascheduler/planner/draft.hpp"
#include "metascheduler/planner/schedulers/scheduler.hpp"

namespace gleaner::planner {

/// Stage 4. The resources that each cluster has for the campaign, and the jobs that fit in them.
void match(const CampaignScheduler& scheduler, const Contender& contender, std::vector<Candidate*>& candidates, Draft& draft);

/// The same stage, for a campaign that no cluster has room for although one job of it takes several
/// resources: what is freed on the cluster that can start it first is held back for it (spec/001,
/// "Backfill"; spec/004, "Schedule Reserved Jobs"). One reservation a campaign, one a cluster; only where nothing but resources is
/// lacking, and for a task that may go there.
void reserve(Contender& contender, Draft& draft);

}  // namespace gleaner::planner
