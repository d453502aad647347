#pragma once
#include <map>
#include <optional>
#include <vector>

#include "lib/process/config.hpp"
#include "lib/store/prediction.hpp"
#include "predictor/algorithms/sharing.hpp"

namespace gleaner::predictor {

/// When the bags of campaigns that share clusters will be empty.
class Sharers {
 public:
  Sharers(const store::PredictionFacts& facts, const process::Config& config);

  /// Empty: it shares no cluster with a campaign that has tasks or jobs, its tasks wait for those of another one, nothing is known of its
  /// durations, or its bag does not become empty.
  [[nodiscard]] std::optional<prediction::Emptying> of(grid::CampaignId campaign) const;

 private:
  struct Place {
    std::size_t index = 0;
    bool shares = false;
  };
  std::map<grid::CampaignId, Place> places_;
  std::vector<prediction::Sharer> sharers_;
  std::vector<std::optional<prediction::Emptying>> emptied_;
};

}  // namespace gleaner::predictor
