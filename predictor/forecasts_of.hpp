#pragma once
#include <vector>

#include "lib/process/config.hpp"
#include "lib/store/prediction.hpp"
#include "lib/store/quality.hpp"

namespace gleaner::predictor {

/// A forecast for each campaign that has a pair among the facts: its start and end, and for its active pairs the throughput and the job
/// ratio, by the configured algorithm. Pure: everything that depends on the clock is decided here. Throws std::invalid_argument if the
/// configuration names an unknown algorithm.
[[nodiscard]] std::vector<store::StoredForecast> forecasts_of(const store::PredictionFacts& facts, const process::Config& config,
                                                              grid::Instant now);

/// The outcome of the jobs that the last cycle sent, for each reachable pair to which it sent some, judged by the evidence that the
/// algorithms use (prediction::verdict). Source: document 003, "control the effectiveness of scheduling decisions".
[[nodiscard]] std::vector<store::RatioOutcome> ratio_outcomes(const store::PredictionFacts& facts, grid::Instant now);

}  // namespace gleaner::predictor
