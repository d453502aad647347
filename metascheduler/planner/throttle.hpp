#pragma once
#include <vector>

#include "metascheduler/planner/draft.hpp"
#include "metascheduler/planner/schedulers/scheduler.hpp"

namespace gleaner::planner {

/// Stage 3. Limits on jobs: the JDL's max_jobs on those of a campaign that live on a cluster (those
/// of unknown launches included), those of `gridctl limit`, what a cluster under stress takes, and
/// the few that go first to a cluster of which nothing is known.
void throttle(const CampaignScheduler& scheduler, const Contender& contender, std::vector<Candidate*>& candidates, Draft& draft);

/// Of which tasks jobs are to be made. A pair's fitting tasks are of those that wait.
enum class Tasks { waiting, running };

/// Sets what each candidate is allowed: throttle without its decisions, for replicas too.
void allow(Tasks tasks, const CampaignScheduler& scheduler, const Contender& contender, const std::vector<Candidate*>& candidates, const Draft& draft);

}  // namespace gleaner::planner
