#include "predictor/starts.hpp"

#include <algorithm>

#include "predictor/room.hpp"

namespace gleaner::predictor {
namespace {

/// Seconds of one job: the mean, else that of earlier campaigns, else the walltime.
double duration_of(const store::PredictionPair& pair, const store::PredictionCampaign& campaign) {
  if (pair.done > 0) return pair.duration_sum / static_cast<double>(pair.done);
  if (const auto mean = campaign.earlier.mean()) return *mean;
  return pair.walltime;
}

struct Jobs {
  std::int64_t waiting = 0;  ///< jobs of the campaign, in its bag or in a cluster's queue
  std::size_t clusters = 0;  ///< clusters that could take them
};

}  // namespace

Starts::Starts(const store::PredictionFacts& facts, const process::Config& config, grid::Instant now) : config_{config}, now_{now} {
  std::map<grid::CampaignId, const store::PredictionCampaign*> campaigns;
  for (const auto& campaign : facts.campaigns) campaigns.emplace(campaign.id, &campaign);
  std::map<grid::CampaignId, Jobs> jobs;
  for (const auto& pair : facts.pairs) {
    auto& before = before_[pair.cluster];
    before.running += pair.running;
    before.durations += pair.running * duration_of(pair, *campaigns.at(pair.campaign));
    before.ours += pair.running * width_of(pair);
    if (pair.reachable) ++jobs[pair.campaign].clusters;
  }
  for (const auto& campaign : facts.campaigns)
    jobs[campaign.id].waiting = campaign.paused ? 0 : std::max<std::int64_t>(0, campaign.remaining - campaign.running);
  // In the order of their submission: the pairs come by campaign.
  std::map<grid::ClusterId, Ahead> ahead;
  for (const auto& pair : facts.pairs) {
    auto& queue = ahead[pair.cluster];
    places_.emplace(pair.campaign, Place{&pair, queue});
    const auto& own = jobs.at(pair.campaign);
    if (!pair.reachable || own.clusters == 0) continue;
    const double resources = static_cast<double>(own.waiting) * width_of(pair) / static_cast<double>(own.clusters);
    queue.likely += resources * duration_of(pair, *campaigns.at(pair.campaign));
    queue.most += resources * (pair.done > 0 ? duration_of(pair, *campaigns.at(pair.campaign)) : pair.walltime);
  }
}

std::optional<prediction::StartForecast> Starts::of(const store::PredictionCampaign& campaign) const {
  std::optional<prediction::StartForecast> first;
  const auto [begin, end] = places_.equal_range(campaign.id);
  for (auto place = begin; place != end; ++place) {
    const auto start = on(place->second);
    if (start && (!first || start->start < first->start)) first = start;
  }
  return first;
}

std::optional<prediction::StartForecast> Starts::on(const Place& place) const {
  const auto& pair = *place.pair;
  if (!pair.reachable || width_of(pair) > pair.max_resources) return std::nullopt;
  const auto& before = before_.at(pair.cluster);
  const double usable = std::max(1.0, before.ours + pair.free_resources);
  prediction::Turn turn;
  turn.now = now_;
  turn.cycle = std::chrono::duration<double>{config_.cycle_period}.count();
  turn.has_room = pair.free_resources >= width_of(pair) && place.ahead.likely <= 0.0;
  // Jobs in the middle of their lives: the next of n ends after a part of a mean that is 1 / n.
  if (before.running > 0) turn.next_end = before.durations / before.running / before.running;
  turn.ahead = place.ahead.likely / usable;
  turn.ahead_most = place.ahead.most / usable;
  // Free resources that those before it are about to take are no end of a job, but as good as one.
  if (turn.next_end <= 0.0 && pair.free_resources > 0) turn.next_end = turn.cycle;
  return forecast_start(turn);
}

}  // namespace gleaner::predictor
