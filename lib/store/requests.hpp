#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "lib/grid/id.hpp"
#include "lib/grid/time.hpp"
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

/// Stores the mean input of a campaign's tasks, in MB.
void write_input(Transaction& transaction, grid::CampaignId campaign, double megabytes);

}  // namespace gleaner::store
