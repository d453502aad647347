#include "lib/store/failed_since.hpp"

#include "lib/store/detail.hpp"

namespace gleaner::store {

using detail::Array;
using detail::exec;
using detail::exec_prepared;

void forget_failed_since(Transaction& transaction, grid::ClusterId cluster) {
  exec_prepared(transaction, sql::failed_since_forget{.cluster = cluster});
}

std::vector<FailedSince> count_failed_since(Transaction& transaction, grid::ClusterId cluster, std::span<const FailedSince> more) {
  Array campaigns, jobs;
  for (const auto& one : more) {
    campaigns.add(one.campaign.value());
    jobs.add(std::int64_t{one.jobs});
  }
  exec(transaction, sql::failed_since_count{.campaigns = campaigns, .jobs = jobs, .cluster = cluster});
  std::vector<FailedSince> all;
  for (const auto& row : exec(transaction, sql::failed_since_all{.cluster = cluster}))
    all.push_back({*row.campaign_id, *row.failed_since_done});
  return all;
}

void count_as_failures(Transaction& transaction, grid::CampaignId campaign, grid::ClusterId cluster) {
  exec(transaction, sql::failed_since_raise{.campaign = campaign, .cluster = cluster});
}

}  // namespace gleaner::store
