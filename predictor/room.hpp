#pragma once
#include <cstdint>

#include "lib/process/config.hpp"
#include "lib/store/prediction.hpp"
#include "predictor/algorithms/pace.hpp"

/// The room of a cluster for a campaign.
namespace gleaner::predictor {

/// Resources of one job: the mean that OAR assigned, else as the JDL requests, else 1; at least 1.
[[nodiscard]] double width_of(const store::PredictionPair& pair);

/// Resources of the cluster that are not kept for others.
[[nodiscard]] double room_of(const store::PredictionPair& pair);

/// A part of its limit that one job takes, in the limit's unit. Only of a pair that met one.
[[nodiscard]] double part_of_limit(const store::PredictionPair& pair);

/// Jobs of the pair that its limit allows at once, if it has that alone; at least 1. Only of a pair that met one.
[[nodiscard]] std::int64_t jobs_in_limit(const store::PredictionPair& pair);

/// Jobs of the campaign that the cluster could run at once, if it served it alone, as far as what it keeps for others and limits allow.
[[nodiscard]] std::int64_t slots_of(const store::PredictionPair& pair);

/// The most jobs for one resource that a ratio may give: `job_ratio_max`, one after the other, in the place of one job; never more than one
/// where jobs take several tasks (pools), which keep their resources busy themselves.
[[nodiscard]] double most_jobs_a_resource(const store::PredictionPair& pair, const store::PredictionCampaign& campaign,
                                          const process::Config& config);

/// The whole jobs that one resource carries out, one after the other, between two cycles: by the mean duration of the pair's jobs, or what
/// a start costs if that is more; without those that wait within the flood, so that all are over when the next ones come. At least 1, and
/// at most `most`; 1 while fewer than grid::kMinEnds jobs are done.
[[nodiscard]] double jobs_a_cycle(const store::PredictionPair& pair, double most, const process::Config& config);

/// The bounds on the rate of the campaign's jobs there.
[[nodiscard]] prediction::Pace pace_of(const store::PredictionPair& pair, const store::PredictionCampaign& campaign,
                                       const process::Config& config);

}  // namespace gleaner::predictor
