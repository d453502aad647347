#pragma once
#include <map>
#include <optional>

#include "lib/process/config.hpp"
#include "lib/store/prediction.hpp"
#include "predictor/algorithms/forecast.hpp"

namespace gleaner::predictor {

/// When campaigns without a started job will start, by the work before each of them on each of its clusters. Campaigns are taken in the
/// order of their submission.
class Starts {
 public:
  Starts(const store::PredictionFacts& facts, const process::Config& config, grid::Instant now);

  /// The start on the cluster where it comes first. Empty: no job runs and none can.
  [[nodiscard]] std::optional<prediction::StartForecast> of(const store::PredictionCampaign& campaign) const;

 private:
  struct Before {
    int running = 0;       ///< jobs on the cluster, of all campaigns
    double durations = 0;  ///< seconds, the sum of the jobs' mean durations
    double ours = 0;       ///< resources that these jobs hold
  };
  struct Ahead {
    double likely = 0;  ///< resource-seconds that wait before it on a cluster
    double most = 0;
  };
  struct Place {
    const store::PredictionPair* pair;
    Ahead ahead;
  };
  [[nodiscard]] std::optional<prediction::StartForecast> on(const Place& place) const;

  const process::Config& config_;
  grid::Instant now_;
  std::map<grid::ClusterId, Before> before_;
  std::multimap<grid::CampaignId, Place> places_;
};

}  // namespace gleaner::predictor
