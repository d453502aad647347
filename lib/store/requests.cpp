#include "lib/store/requests.hpp"

#include "lib/store/detail.hpp"

namespace gleaner::store {
namespace {

using detail::exec;

void add_requests(Transaction& transaction, grid::CampaignId campaign, std::span<const ClusterRequest> requests) {
  std::vector<sql::cluster_request> rows;
  for (const auto& one : requests)
    rows.push_back({
        .cluster = one.cluster,
        .request = one.request,
        .shape = one.shape,
        .resources = one.resources,
        .resources_per_job = one.resources_per_job,
        .memory_mb = one.memory_mb,
        .walltime_s = one.walltime.count(),
    });
  exec(transaction, sql::campaigns_add_requests{.campaign = campaign, .requests = rows});
}

}  // namespace

void write_requests(Transaction& transaction, grid::CampaignId campaign, std::span<const ClusterRequest> requests) {
  add_requests(transaction, campaign, requests);
  exec(transaction, sql::campaigns_sort_tasks{.campaign = campaign, .first = 0});
  exec(transaction, sql::campaigns_fill_bags{.campaign = campaign, .first = 0});
  exec(transaction, sql::campaigns_count_requests{.campaign = campaign});
  exec(transaction, sql::campaigns_sum_requests{.campaign = campaign});
  exec(transaction, sql::campaigns_first_ratios{.campaign = campaign});
}

void sort_appended(Transaction& transaction, grid::CampaignId campaign, std::int64_t first) {
  exec(transaction, sql::campaigns_sort_tasks{.campaign = campaign, .first = first});
}

void append_requests(Transaction& transaction, grid::CampaignId campaign, std::span<const ClusterRequest> requests, std::int64_t first) {
  add_requests(transaction, campaign, requests);
  exec(transaction, sql::campaigns_fill_bags{.campaign = campaign, .first = first});
  exec(transaction, sql::campaigns_count_requests{.campaign = campaign});
  exec(transaction, sql::campaigns_sum_requests{.campaign = campaign});
}

void add_freed_requests(Transaction& transaction, grid::CampaignId campaign, std::span<const ClusterRequest> requests) {
  if (requests.empty()) return;
  add_requests(transaction, campaign, requests);
  exec(transaction, sql::campaigns_count_requests{.campaign = campaign});
  exec(transaction, sql::campaigns_sum_requests{.campaign = campaign});
}

std::vector<ClusterRequest> stored_requests(Transaction& transaction, grid::CampaignId campaign) {
  std::vector<ClusterRequest> requests;
  for (const auto& row : exec(transaction, sql::changes_requests{.campaign = campaign}))
    requests.push_back({.cluster = *row.cluster,
                        .request = *row.request,
                        .shape = *row.shape,
                        .resources = *row.resources,
                        .resources_per_job = {},
                        .memory_mb = row.memory_mb,
                        .walltime = *row.walltime_s});
  return requests;
}

void write_input(Transaction& transaction, grid::CampaignId campaign, double megabytes) {
  exec(transaction, sql::campaigns_write_input{.megabytes = megabytes, .campaign = campaign});
}

}  // namespace gleaner::store
