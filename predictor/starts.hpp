#pragma once
#include <map>
#include <optional>

#include "lib/process/config.hpp"
#include "lib/store/prediction.hpp"
#include "predictor/algorithms/forecast.hpp"

namespace gleaner::predictor {

/// Resources of one job: as asked, as OAR gave them, or 1; at least 1.
[[nodiscard]] double width_of(const store::PredictionPair& pair);

/// When campaigns of which no job has started start: what is before each of them, on each of its
/// clusters. Campaigns are taken in the order of their submission.
class Starts {
 public:
  Starts(const store::PredictionFacts& facts, const process::Config& config, grid::Instant now);

  /// On the cluster where it is first; nothing where no job runs and none can.
  [[nodiscard]] std::optional<prediction::StartForecast> of(const store::PredictionCampaign& campaign) const;

 private:
  struct Before {
    int running = 0;       ///< jobs on the cluster, of everybody's campaigns
    double durations = 0;  ///< seconds, the sum of what each of them takes on average
    double ours = 0;       ///< resources of them
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
