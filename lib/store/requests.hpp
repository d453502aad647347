#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "lib/grid/id.hpp"
#include "lib/grid/time.hpp"
#include "lib/store/campaigns.hpp"
#include "lib/store/database.hpp"

/// Different requests of a campaign's tasks, and their mean input.
namespace gleaner::store {

/// One of a campaign's different requests, as one cluster understands it.
struct ClusterRequest {
  std::string cluster;  ///< its name
  int request = 1;      ///< from 1, the same on every cluster
  int shape = 1;        ///< equal where only the walltime differs: such tasks can share an array
  std::string resources;
  std::optional<int> resources_per_job;
  std::optional<std::int64_t> memory_mb;
  grid::Seconds walltime{};
};

/// Sorts the tasks of a new campaign, all written with their requests, into one bag for each request. `requests` has no line for a request
/// that a cluster cannot hold.
void write_requests(Transaction& transaction, grid::CampaignId campaign, std::span<const ClusterRequest> requests);

/// Sorts tasks that are being appended, from the number `first` on, all written with their requests. `append_tasks` and then
/// `append_requests` must follow. It locks nothing that planning uses.
void sort_appended(Transaction& transaction, grid::CampaignId campaign, std::int64_t first);
/// Adds the requests that the campaign did not have before, and the sorted tasks from the number `first` on to the bags.
void append_requests(Transaction& transaction, grid::CampaignId campaign, std::span<const ClusterRequest> requests, std::int64_t first);

/// Adds the requests that the campaign did not have before.
void add_freed_requests(Transaction& transaction, grid::CampaignId campaign, std::span<const ClusterRequest> requests);

/// The requests of a submitted campaign, without resources_per_job.
[[nodiscard]] std::vector<ClusterRequest> stored_requests(Transaction& transaction, grid::CampaignId campaign);

/// Stores the mean input of a campaign's tasks, in MB.
void write_input(Transaction& transaction, grid::CampaignId campaign, double megabytes);

}  // namespace gleaner::store
