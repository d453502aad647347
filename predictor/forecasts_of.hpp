#pragma once
#include <vector>

#include "lib/process/config.hpp"
#include "lib/store/prediction.hpp"

namespace gleaner::predictor {

/// A forecast for each campaign that has a pair among the facts: its start and end; and, of its active pairs, the job ratio by the
/// configured algorithm and the throughput.
/// Pure: all that depends on the clock is decided here. Throws std::invalid_argument when the configuration names no algorithm.
[[nodiscard]] std::vector<store::StoredForecast> forecasts_of(const store::PredictionFacts& facts, const process::Config& config,
                                                              grid::Instant now);

}  // namespace gleaner::predictor
