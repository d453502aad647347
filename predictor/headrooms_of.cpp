#include "predictor/headrooms_of.hpp"

#include <algorithm>
#include <cmath>

#include "predictor/algorithms/headroom.hpp"
#include "predictor/room.hpp"

namespace gleaner::predictor {
namespace {

/// How our jobs use one cluster.
struct Use {
  int max_resources = 0;
  int free_resources = 0;  ///< that ours may take
  double restored = 0;     ///< resources of ours that come free by themselves, a second
  double seconds = 0;      ///< sum of the durations of the pairs' jobs
  int pairs = 0;
  double widest = 1;  ///< resources of a job that waits

  /// Those a second, when ours have taken what is free.
  [[nodiscard]] double restored_when_full() const { return restored + (pairs > 0 ? free_resources * pairs / seconds : 0.0); }
};

/// Seconds for which a job holds its resources: as the jobs that are done, else its walltime, which is a bound.
double seconds_of_job(const store::PredictionPair& pair, bool pools, const process::Config& config) {
  if (pair.done == 0) return std::max(1.0, pair.walltime);
  const double task = std::max(1.0, pair.duration_sum / static_cast<double>(pair.done));
  return pools && !pair.pools_refused ? std::max(task, std::chrono::duration<double>{config.pool_duration}.count()) : task;
}

}  // namespace

std::map<grid::ClusterId, int> headrooms_of(const std::map<grid::ClusterId, store::LocalFacts>& local, const store::PredictionFacts& facts,
                                            const process::Config& config, grid::Instant now) {
  if (local.empty()) return {};
  std::map<grid::CampaignId, const store::PredictionCampaign*> campaigns;
  for (const auto& campaign : facts.campaigns) campaigns.emplace(campaign.id, &campaign);
  std::map<grid::ClusterId, Use> uses;
  for (const auto& pair : facts.pairs) {
    const auto campaign = campaigns.find(pair.campaign);
    if (!local.contains(pair.cluster) || campaign == campaigns.end()) continue;
    auto& use = uses[pair.cluster];
    const double seconds = seconds_of_job(pair, campaign->second->pools, config);
    const double held = pair.running * width_of(pair);
    use.max_resources = pair.max_resources;
    use.free_resources = pair.free_resources;
    use.restored += held / seconds;
    use.seconds += seconds;
    ++use.pairs;
    if (campaign->second->waiting > 0) use.widest = std::max(use.widest, width_of(pair));
  }
  std::map<grid::ClusterId, int> headrooms;
  for (const auto& [cluster, use] : uses) {
    const int room = use.max_resources - static_cast<int>(std::ceil(use.widest));
    const auto& observed = local.at(cluster);
    headrooms[cluster] = prediction::best_headroom(prediction::demand_of_hour(observed.demand, grid::hour_of_day(now)),
                                                   {.restored_per_second = use.restored_when_full(),
                                                    .weight = config.headroom_weight,
                                                    .most = std::min(grid::most_of_auto(use.max_resources), std::max(0, room)),
                                                    .current = observed.kept_resources});
  }
  return headrooms;
}

}  // namespace gleaner::predictor
