#include "predictor/room.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "lib/grid/dust.hpp"
#include "lib/grid/sink.hpp"
#include "predictor/algorithms/algorithm.hpp"

namespace gleaner::predictor {
namespace {

double seconds_of(process::Duration duration) { return std::chrono::duration<double>{duration}.count(); }

bool has_pools(const store::PredictionPair& pair, const store::PredictionCampaign& campaign) {
  return campaign.pools && !pair.pools_refused;
}

}  // namespace

double width_of(const store::PredictionPair& pair) {
  if (pair.resources_jobs > 0) return std::max(1.0, static_cast<double>(pair.resources_sum) / static_cast<double>(pair.resources_jobs));
  return std::max(1, pair.resources_per_job.value_or(1));
}

double room_of(const store::PredictionPair& pair) { return std::max(0.0, pair.max_resources - pair.kept_resources); }

double part_of_limit(const store::PredictionPair& pair) {
  const auto& limit = pair.limit.value();
  return std::max(grid::kDust, limit.job_needs.value_or(limit.is_of_resources ? width_of(pair) : 1.0));
}

std::int64_t jobs_in_limit(const store::PredictionPair& pair) {
  return static_cast<std::int64_t>(std::clamp(std::floor(pair.limit.value().most / part_of_limit(pair)), 1.0, 1e9));
}

std::int64_t slots_of(const store::PredictionPair& pair) {
  auto slots = static_cast<std::int64_t>(room_of(pair) / width_of(pair));
  if (pair.max_jobs) slots = std::min<std::int64_t>(slots, *pair.max_jobs);
  return pair.limit ? std::min(slots, jobs_in_limit(pair)) : slots;
}

double most_jobs_a_resource(const store::PredictionPair& pair, const store::PredictionCampaign& campaign, const process::Config& config) {
  if (has_pools(pair, campaign)) return prediction::kDefaultUpperBound;
  return std::max(prediction::kDefaultUpperBound, config.job_ratio_max / width_of(pair));
}

double jobs_a_cycle(const store::PredictionPair& pair, double most, const process::Config& config) {
  if (pair.done < grid::kMinEnds) return 1.0;
  const double start = prediction::least_start({.start_cost = pair.start_cost});
  const double held = std::max(start, pair.duration_sum / static_cast<double>(pair.done));
  const double each = std::floor(seconds_of(config.cycle_period) / held / (1.0 + std::max(0.0, pair.flood)));
  return std::clamp(each, 1.0, std::max(1.0, most));
}

prediction::Pace pace_of(const store::PredictionPair& pair, const store::PredictionCampaign& campaign, const process::Config& config) {
  const double width = width_of(pair);
  // Free resources and the flood, each with the most jobs in the place of one.
  const double in_place_of_one = has_pools(pair, campaign) ? 1.0 : config.job_ratio_max;
  const double offered = (1.0 + pair.flood) * pair.max_resources / width * in_place_of_one;
  prediction::Pace pace{.slots = static_cast<double>(slots_of(pair)),
                        .per_cycle = pair.max_jobs ? std::min<double>(offered, *pair.max_jobs) : offered,
                        .cycle = seconds_of(config.cycle_period),
                        .start_cost = pair.start_cost};
  if (!has_pools(pair, campaign)) return pace;
  const double task = pair.done > 0 ? pair.duration_sum / static_cast<double>(pair.done) : campaign.earlier.mean().value_or(0.0);
  pace.pool = {.duration = seconds_of(config.pool_duration), .task = task, .workers = campaign.side_by_side ? width : 1.0};
  return pace;
}

}  // namespace gleaner::predictor
