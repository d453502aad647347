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
void write_requests(Transaction& transaction, grid::CampaignId campaign, std::span<const ClusterRequest> requests, grid::Instant now);

/// The mean input of the tasks of a campaign, in MB.
void write_input(Transaction& transaction, grid::CampaignId campaign, double megabytes);

/// Within how many seconds a share of the jobs done had ended: at most 10 % more than the exact quantile.
struct DurationQuantile {
  std::int64_t jobs = 0;  ///< that it was measured on
  double seconds = 0;
};
/// Of one campaign, on one cluster or all of its; nothing while no job is done. @param share in (0, 1]
[[nodiscard]] std::optional<DurationQuantile> duration_quantile(Transaction& transaction, double share, grid::CampaignId campaign,
                                                                std::optional<grid::ClusterId> cluster);

struct PairQuantile {
  grid::CampaignId campaign{0};
  grid::ClusterId cluster{0};
  DurationQuantile quantile;
};
/// Of every pair of the campaigns in treatment or paused with a job done; costs their buckets, not their jobs.
[[nodiscard]] std::vector<PairQuantile> duration_quantiles(Transaction& transaction, double share);

}  // namespace gleaner::store
