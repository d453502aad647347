#include "predictor/starts.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>
#include <vector>

#include "predictor/algorithms/spread.hpp"
#include "predictor/room.hpp"

namespace gleaner::predictor {
namespace {

/// Durations of one job: those of the pair, else those of earlier campaigns. None: only the walltime is known.
grid::Durations known_durations(const store::PredictionPair& pair, const store::PredictionCampaign& campaign) {
  if (pair.done > 0) return {.count = pair.done, .sum = pair.duration_sum, .squares = pair.duration_squares};
  return campaign.earlier;
}

/// Seconds of one job: the mean, else the walltime.
double duration_of(const store::PredictionPair& pair, const store::PredictionCampaign& campaign) {
  return known_durations(pair, campaign).mean().value_or(pair.walltime);
}

/// As the planner has them: test campaigns first, those of the lowest priority last.
std::size_t class_of(const store::PredictionCampaign& campaign) {
  if (campaign.type == grid::CampaignType::test) return 0;
  return campaign.priority == grid::kLowestPriority ? 2 : 1;
}

bool is_open(const store::PredictionPair& pair) { return pair.access == store::PredictionPair::Access::open; }

/// Whether what others hold, of a limit or of what is not kept for others, leaves none of its jobs a place.
bool is_stopped(const store::PredictionPair& pair) {
  return (pair.limit || pair.kept_resources > 0.0) && pair.launching + pair.waiting + pair.running + pair.unknown == 0;
}

double squared(double x) { return x * x; }

}  // namespace

Starts::Starts(const store::PredictionFacts& facts, const process::Config& config, grid::Instant now) : config_{config}, now_{now} {
  std::map<grid::CampaignId, Waiting> waiting;
  for (const auto& campaign : facts.campaigns) {
    const auto jobs = campaign.paused || campaign.awaits || campaign.braked
                          ? 0
                          : std::max<std::int64_t>(0, campaign.remaining - campaign.running - campaign.held);
    waiting.emplace(campaign.id, Waiting{.campaign = &campaign, .jobs = static_cast<double>(jobs)});
  }
  // By class; within one in the order of their submission, as the pairs come by campaign.
  std::array<std::vector<std::pair<const store::PredictionPair*, const Waiting*>>, 3> in_turn;
  for (const auto& pair : facts.pairs) {
    auto& own = waiting.at(pair.campaign);
    auto& before = before_[pair.cluster];
    before.running += pair.running;
    before.durations += pair.running * duration_of(pair, *own.campaign);
    before.ours += pair.running * width_of(pair);
    own.done += pair.done;
    if (is_open(pair)) own.resources += pair.max_resources;
    in_turn[class_of(*own.campaign)].emplace_back(&pair, &own);
  }
  std::map<grid::ClusterId, Ahead> ahead;
  std::map<std::pair<std::int64_t, std::string>, LimitedWork> limited;
  for (const auto& pairs : in_turn) {
    for (const auto& [pair, own] : pairs) {
      auto& queue = ahead[pair->cluster];
      auto& place = places_.emplace(pair->campaign, Place{pair, queue})->second;
      if (pair->limit) place.ahead.limited = add_limited(*pair, *own, limited[pair->limit->shared]);
      if (is_open(*pair)) add(*pair, *own, queue);
    }
  }
}

double Starts::add_limited(const store::PredictionPair& pair, const Waiting& waiting, LimitedWork& work) const {
  if (work.campaign != pair.campaign) work = {.before = work.before + work.last, .campaign = pair.campaign};
  if (is_open(pair) && waiting.resources > 0.0)
    work.last += waiting.jobs * pair.max_resources / waiting.resources * part_of_limit(pair) * duration_of(pair, *waiting.campaign);
  return work.before / pair.limit->most;
}

/// Adds the part of a campaign's jobs that this cluster gets, by its resources.
void Starts::add(const store::PredictionPair& pair, const Waiting& waiting, Ahead& ahead) const {
  const auto& campaign = *waiting.campaign;
  if (!(waiting.jobs > 0.0) || pair.max_resources <= 0) return;
  const double width = width_of(pair);
  const double jobs = waiting.jobs * pair.max_resources / waiting.resources;
  const auto durations = known_durations(pair, campaign);
  const auto mean = durations.mean();
  const double work = jobs * width * mean.value_or(pair.walltime);
  ahead.work += work;
  ahead.demand += width * (pair.max_jobs ? std::min<double>(jobs, std::max(0, *pair.max_jobs - pair.running)) : jobs);
  ahead.widest = std::max(ahead.widest, width);
  const bool is_probe = pair.done == 0 && waiting.done > 0;
  if (pair.max_jobs || is_probe) return;
  const double pace = prediction::most_tasks_a_second(pace_of(pair, campaign, config_));
  if (pace > 0.0) ahead.starts += jobs / pace;
  if (!mean || !(*mean > 0.0)) return;
  const auto seen = static_cast<double>(durations.count);
  const double variation = prediction::variation_of(*durations.deviation() / *mean, seen);
  ahead.known += work;
  ahead.variance += squared(work * variation) * (1.0 / jobs + 1.0 / seen);
}

std::optional<prediction::StartForecast> Starts::of(const store::PredictionCampaign& campaign) const {
  std::optional<prediction::StartForecast> first;
  const auto [begin, end] = places_.equal_range(campaign.id);
  for (auto place = begin; place != end; ++place) {
    const auto start = on(place->second);
    if (!start) continue;
    if (!first) {
      first = start;
      continue;
    }
    if (start->start < first->start) {
      first->start = start->start;
      first->phase = start->phase;
    }
    first->between = {std::min(first->between.earliest, start->between.earliest), std::min(first->between.latest, start->between.latest)};
  }
  return first;
}

/// Where campaigns are served in the order of submission, and no wide job leaves gaps for narrow ones.
std::optional<prediction::Turn::Certain> Starts::certain_before(const Place& place, double usable) const {
  const auto& ahead = place.ahead;
  if (config_.campaign_order != "fifo" || ahead.widest > width_of(*place.pair)) return std::nullopt;
  return prediction::Turn::Certain{.known = ahead.known / usable, .starts = ahead.starts};
}

std::optional<prediction::StartForecast> Starts::on(const Place& place) const {
  const auto& pair = *place.pair;
  if (!is_open(pair) || width_of(pair) > room_of(pair)) return std::nullopt;
  const auto& before = before_.at(pair.cluster);
  const double room = std::max(1.0, usable(pair));
  prediction::Turn turn;
  turn.now = now_;
  turn.cycle = std::chrono::duration<double>{config_.cycle_period}.count();
  turn.has_room = !is_stopped(pair) && pair.free_resources - place.ahead.demand >= width_of(pair);
  // Jobs in the middle of their lives: the next of n ends after a part of a mean that is 1 / n.
  if (before.running > 0) turn.next_end = before.durations / before.running / before.running;
  turn.ahead = std::max(place.ahead.work / room, place.ahead.limited);
  turn.ahead_deviation = std::sqrt(place.ahead.variance) / room;
  turn.certain = certain_before(place, room);
  // Free resources that those before it are about to take are no end of a job, but as good as one.
  if (turn.next_end <= 0.0 && pair.free_resources > 0) turn.next_end = turn.cycle;
  return forecast_start(turn);
}

}  // namespace gleaner::predictor
