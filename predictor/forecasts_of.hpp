#pragma once
#include <vector>

#include "lib/process/config.hpp"
#include "lib/store/prediction.hpp"

namespace gleaner::predictor {

/// A forecast for each active pair of the facts, and one at least for each campaign: the job ratio by the configured algorithm, the
/// throughput, the start and end of the pair's campaign.
/// Pure: all that depends on the clock is decided here. Throws std::invalid_argument when the configuration names no algorithm.
[[nodiscard]] std::vector<store::StoredForecast> forecasts_of(const store::PredictionFacts& facts, const process::Config& config, grid::Instant now);

}  // namespace gleaner::predictor
