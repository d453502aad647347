#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "lib/grid/id.hpp"
#include "lib/grid/time.hpp"
#include "lib/store/database.hpp"

/// What the tasks of a campaign ask for, where it differs from task to task; and how long its jobs took.
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

/// Sorts the tasks of a new campaign, all written with their requests, into a bag for each. A cluster that
/// cannot hold a request has no line for it.
void write_requests(Transaction& transaction, grid::CampaignId campaign, std::span<const ClusterRequest> requests);

/// The mean input of the tasks of a campaign, in MB.
void write_input(Transaction& transaction, grid::CampaignId campaign, double megabytes);

}  // namespace gleaner::store
