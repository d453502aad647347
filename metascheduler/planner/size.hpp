#pragma once
#include <vector>

#include "metascheduler/planner/candidate.hpp"
#include "metascheduler/planner/ledger.hpp"
#include "metascheduler/planner/schedulers/scheduler.hpp"

namespace gleaner::planner {

/// What a campaign gets on one cluster.
struct Share {
  Candidate candidate;
  int jobs = 0;
  int returned = 0;        ///< of them, for tasks that this cluster returned
  double resources = 0.0;  ///< that they count for
  Figures figures;
};

/// Stage 6. How many jobs on each cluster, in the order of the candidates: the campaign
/// scheduler's word, of the tasks that are left. Free resources of every cluster go before the
/// queue of any: a task that could run at once does not wait elsewhere. What is given is written into the ledger.
[[nodiscard]] std::vector<Share> size(const CampaignScheduler& scheduler, Ledger& ledger, Contender& contender,
                                      std::vector<Decision>& decisions);

}  // namespace gleaner::planner
