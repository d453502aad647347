#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "lib/store/views.hpp"

/// The effects that the cancellation of a campaign would have.
namespace gleaner::store::views {

struct JobsToKill {
  grid::ClusterId cluster{0};
  std::string cluster_name;
  std::int64_t jobs = 0;    ///< in OAR, which are killed
  std::int64_t unsent = 0;  ///< not known to be there: withdrawn, or killed once the cluster has taken them
};

/// By cluster, the most jobs first. Epilogues are not killed. Cost: O(live jobs of its clusters).
[[nodiscard]] std::vector<JobsToKill> jobs_to_kill(Transaction& transaction, grid::CampaignId campaign);

}  // namespace gleaner::store::views
