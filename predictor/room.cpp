#include "predictor/room.hpp"

#include <algorithm>
#include <chrono>

namespace gleaner::predictor {
namespace {

double seconds_of(process::Duration duration) { return std::chrono::duration<double>{duration}.count(); }

}  // namespace

double width_of(const store::PredictionPair& pair) {
  if (pair.resources_jobs > 0) return std::max(1.0, static_cast<double>(pair.resources_sum) / static_cast<double>(pair.resources_jobs));
  return std::max(1, pair.resources_per_job.value_or(1));
}

std::int64_t slots_of(const store::PredictionPair& pair) {
  const auto slots = static_cast<std::int64_t>(pair.max_resources / width_of(pair));
  return pair.max_jobs ? std::min<std::int64_t>(slots, *pair.max_jobs) : slots;
}

prediction::Pace pace_of(const store::PredictionPair& pair, const store::PredictionCampaign& campaign, const process::Config& config) {
  const double width = width_of(pair);
  // Free resources and the flood, each at the greatest ratio.
  const double offered = (1.0 + pair.flood) * pair.max_resources / width * config.job_ratio_max;
  prediction::Pace pace{.slots = static_cast<double>(slots_of(pair)),
                        .per_cycle = pair.max_jobs ? std::min<double>(offered, *pair.max_jobs) : offered,
                        .cycle = seconds_of(config.cycle_period),
                        .start_cost = pair.start_cost};
  if (!campaign.pools || pair.pools_refused) return pace;
  const double task = pair.done > 0 ? pair.duration_sum / static_cast<double>(pair.done) : campaign.earlier.mean().value_or(0.0);
  pace.pool = {.duration = seconds_of(config.pool_duration), .task = task, .workers = campaign.side_by_side ? width : 1.0};
  return pace;
}

}  // namespace gleaner::predictor
