#pragma once
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "lib/store/planning.hpp"

/// The grid's present state, for those who play it forward: counts, whose size depends on the campaigns
/// and the clusters, not on the tasks.
namespace gleaner::store {

struct RunningJobs {
  grid::CampaignId campaign{0};
  grid::ClusterId cluster{0};
  double age = 0;  ///< seconds, the mean
  std::int64_t jobs = 0;
  std::int64_t resources = 0;
};

/// So many jobs took up to so many seconds, and more than 1 / 1.1 of them.
struct DurationCount {
  double seconds = 0;
  std::int64_t jobs = 0;
};
using DurationCounts = std::vector<DurationCount>;

struct GridState {
  grid::PlanningFacts planning;
  std::map<grid::CampaignId, std::string> names;
  std::map<grid::CampaignId, int> max_attempts;  ///< of those whose JDL says it
  std::map<std::pair<grid::CampaignId, grid::ClusterId>, bool> best_effort;
  std::vector<RunningJobs> running;
  std::map<grid::CampaignId, DurationCounts> durations;  ///< of their own jobs
  std::map<grid::CampaignId, DurationCounts> earlier;    ///< of the same user's earlier campaigns of the same command
};
[[nodiscard]] GridState grid_state(Transaction& transaction, const ClusterDefaults& defaults, int usage_days, grid::Instant now);

/// What a user's campaigns of these commands have taken.
[[nodiscard]] DurationCounts durations_of(Transaction& transaction, const std::string& user, const std::vector<std::string>& commands);

}  // namespace gleaner::store
