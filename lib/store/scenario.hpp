#pragma once
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "lib/store/dependencies.hpp"
#include "lib/store/planning.hpp"

/// The grid's present state for simulations, as counts. Its size depends on the campaigns and clusters, not on the tasks.
namespace gleaner::store {

struct RunningJobs {
  grid::CampaignId campaign{0};
  grid::ClusterId cluster{0};
  double age = 0;  ///< mean, in seconds
  std::int64_t jobs = 0;
  std::int64_t resources = 0;
};

/// Number of jobs whose duration is at most this many seconds, and more than 1 / 1.1 of it.
struct DurationCount {
  double seconds = 0;
  std::int64_t jobs = 0;
};
using DurationCounts = std::vector<DurationCount>;

struct GridState {
  grid::PlanningFacts planning;
  std::map<grid::CampaignId, std::string> names;
  std::map<grid::CampaignId, int> max_attempts;  ///< of campaigns whose JDL states it
  std::map<std::pair<grid::CampaignId, grid::ClusterId>, bool> best_effort;
  std::vector<RunningJobs> running;
  std::map<grid::CampaignId, std::int64_t> pooled;  ///< tasks in the hands of running or waiting jobs, beside these jobs' own
  std::vector<OpenDependency> dependencies;
  std::map<grid::CampaignId, DurationCounts> durations;  ///< of their own jobs
  std::map<grid::CampaignId, DurationCounts> earlier;    ///< of the user's earlier campaigns with the same command
};
[[nodiscard]] GridState grid_state(Transaction& transaction, const ClusterDefaults& defaults, int usage_days, grid::Instant now);

/// Durations of a user's campaigns with these commands.
[[nodiscard]] DurationCounts durations_of(Transaction& transaction, const std::string& user, const std::vector<std::string>& commands);

}  // namespace gleaner::store
