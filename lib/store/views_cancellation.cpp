#include "lib/store/views_cancellation.hpp"

#include "lib/store/views_detail.hpp"

namespace gleaner::store::views {

using store::detail::exec;

std::vector<JobsToKill> jobs_to_kill(Transaction& transaction, grid::CampaignId campaign) {
  std::vector<JobsToKill> all;
  for (const auto& row : exec(transaction, sql::views_jobs_to_kill{.campaign = campaign}))
    all.push_back({.cluster = *row.cluster_id, .cluster_name = *row.cluster, .jobs = *row.jobs, .unsent = *row.unsent});
  return all;
}

}  // namespace gleaner::store::views
