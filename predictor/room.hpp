#pragma once
#include <cstdint>

#include "lib/process/config.hpp"
#include "lib/store/prediction.hpp"
#include "predictor/algorithms/pace.hpp"

/// The room of a cluster for a campaign.
namespace gleaner::predictor {

/// Resources of one job: the mean that OAR assigned, else as the JDL requests, else 1; at least 1.
[[nodiscard]] double width_of(const store::PredictionPair& pair);

/// Jobs of the campaign that the cluster could run at once, if it served it alone.
[[nodiscard]] std::int64_t slots_of(const store::PredictionPair& pair);

/// The bounds on the rate of the campaign's jobs there.
[[nodiscard]] prediction::Pace pace_of(const store::PredictionPair& pair, const store::PredictionCampaign& campaign,
                                       const process::Config& config);

}  // namespace gleaner::predictor
