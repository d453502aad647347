#include "predictor/forecasts_of.hpp"

#include <algorithm>
#include <map>
#include <stdexcept>

#include "predictor/algorithms/algorithm.hpp"
#include "predictor/algorithms/evidence.hpp"
#include "predictor/algorithms/forecast.hpp"
#include "predictor/algorithms/history.hpp"
#include "predictor/algorithms/trials.hpp"
#include "predictor/room.hpp"
#include "predictor/sharers.hpp"
#include "predictor/starts.hpp"

namespace gleaner::predictor {
namespace {

struct CampaignForecast {
  grid::Durations durations;
  double walltime = 0;                                                           ///< seconds, the greatest of its pairs
  std::int64_t slots = 0;                                                        ///< jobs that its clusters could run at once
  std::map<std::int64_t, std::int64_t> limited_slots{};                          ///< of them, by the number of the limit that they share
  double pace = 0;                                                               ///< tasks a second, on all its clusters
  double least_start = 0;                                                        ///< seconds, on the cluster where it is least
  store::PredictionPair::Access access = store::PredictionPair::Access::closed;  ///< the best of its pairs
  bool awaits_epilogue = false;
  prediction::Forecast forecast;
  std::optional<prediction::StartForecast> start;
  grid::Instant started;
  bool is_kept = false;
};
using CampaignForecasts = std::map<grid::CampaignId, CampaignForecast>;

bool is_kept(const store::PredictionCampaign& campaign, grid::Instant end, grid::Instant now) {
  std::optional<prediction::Kept> last;
  if (const auto& kept = campaign.last_kept) last = prediction::Kept{.made = kept->made, .end = kept->end};
  return prediction::is_kept(last, campaign.submitted_at, now, end);
}

/// Why no task of its bag is sent anywhere, or what else is left; `none`: some are, or nothing is left.
prediction::Method obstacle_of(const store::PredictionCampaign& campaign, store::PredictionPair::Access access, bool awaits_epilogue) {
  using Access = store::PredictionPair::Access;
  if (campaign.paused) return prediction::Method::paused;
  if (campaign.awaits) return prediction::Method::awaits;
  if (campaign.remaining <= 0 && awaits_epilogue) return prediction::Method::epilogue;
  if (campaign.waiting <= 0) return prediction::Method::none;
  if (campaign.held >= campaign.waiting) return prediction::Method::held;
  if (campaign.braked || access == Access::braked) return prediction::Method::braked;
  if (access == Access::without_resources) return prediction::Method::no_resources;
  return access == Access::open ? prediction::Method::none : prediction::Method::closed;
}

/// Adds what a cluster does for the campaign. Resources that others hold are taken to stay theirs, but for those of one job.
void add_room(CampaignForecast& one, const store::PredictionPair& pair, double usable, const prediction::Pace& pace) {
  one.access = std::max(one.access, pair.access);
  if (pair.access != store::PredictionPair::Access::open) return;
  auto slots = std::min(slots_of(pair), std::max<std::int64_t>(1, static_cast<std::int64_t>(usable / width_of(pair))));
  if (pair.limit) {
    auto& in_limit = one.limited_slots[pair.limit->shared.first];
    slots = std::min(slots, std::max<std::int64_t>(0, jobs_in_limit(pair) - in_limit));
    in_limit += slots;
  }
  one.slots += slots;
  const double tasks = prediction::most_tasks_a_second(pace);
  if (!(tasks > 0.0)) return;
  const double start = prediction::least_start(pace);
  one.least_start = one.pace > 0.0 ? std::min(one.least_start, start) : start;
  one.pace += tasks;
}

prediction::Progress progress_of(const store::PredictionCampaign& campaign, const CampaignForecast& one,
                                 const std::optional<prediction::Emptying>& emptying, const process::Config& config, grid::Instant now) {
  return {.now = now,
          .started = one.started,
          .remaining = campaign.remaining,
          .running = campaign.running,
          .running_seconds = campaign.running_seconds,
          .ended_in_window = campaign.ended_in_window,
          .window = std::chrono::duration_cast<grid::Seconds>(config.throughput_window),
          .durations = one.durations,
          .earlier = campaign.earlier,
          .walltime = one.walltime,
          .slots = one.slots,
          .cycle = std::chrono::duration<double>{config.cycle_period}.count(),
          .pace = one.pace,
          .least_start = one.least_start,
          .emptying = emptying,
          .phase = one.start ? one.start->phase : prediction::Phase::running};
}

std::map<grid::CampaignId, const store::PredictionCampaign*> by_id(const store::PredictionFacts& facts) {
  std::map<grid::CampaignId, const store::PredictionCampaign*> campaigns;
  for (const auto& campaign : facts.campaigns) campaigns.emplace(campaign.id, &campaign);
  return campaigns;
}

CampaignForecasts campaign_forecasts(const store::PredictionFacts& facts, const process::Config& config, grid::Instant now) {
  CampaignForecasts forecasts;
  const Starts starts{facts, config, now};
  const Sharers sharers{facts, config};
  const auto campaigns = by_id(facts);
  for (const auto& pair : facts.pairs) {
    auto& one = forecasts[pair.campaign];
    one.durations.add({.count = pair.done, .sum = pair.duration_sum, .squares = pair.duration_squares});
    one.walltime = std::max(one.walltime, pair.walltime);
    one.awaits_epilogue = one.awaits_epilogue || pair.awaits_epilogue;
    const auto& campaign = *campaigns.at(pair.campaign);
    // A test campaign gets no second job there.
    if (campaign.type == grid::CampaignType::test && pair.concluded_jobs > 0) continue;
    add_room(one, pair, starts.usable(pair), pace_of(pair, campaign, config));
  }
  for (const auto& campaign : facts.campaigns) {
    auto& one = forecasts[campaign.id];
    one.started = campaign.first_start_at.value_or(campaign.submitted_at);
    const auto obstacle = obstacle_of(campaign, one.access, one.awaits_epilogue);
    if (!campaign.first_start_at && obstacle == prediction::Method::none) one.start = starts.of(campaign);
    one.forecast = prediction::forecast(progress_of(campaign, one, sharers.of(campaign.id), config, now));
    // Other tasks of a campaign may start while some are held, but it does not end.
    const bool is_held = obstacle == prediction::Method::none && campaign.held > 0;
    if (is_held || obstacle != prediction::Method::none) {
      one.forecast = {
          .throughput = one.forecast.throughput, .end = {}, .between = {}, .method = is_held ? prediction::Method::held : obstacle};
      continue;
    }
    if (one.start)
      one.forecast = one.forecast.method == prediction::Method::sharing ? prediction::no_sooner(one.forecast, *one.start)
                                                                        : prediction::delayed(one.forecast, *one.start, now);
    if (one.forecast.end) one.is_kept = is_kept(campaign, *one.forecast.end, now);
  }
  return forecasts;
}

prediction::QueueState queue_of(const store::PredictionPair& pair, grid::Instant now) {
  prediction::QueueState queue;
  queue.running = pair.running;
  queue.waiting = pair.waiting;
  queue.free_resources = pair.free_resources;
  queue.max_resources = pair.max_resources;
  queue.flood = pair.flood;
  queue.starting = grid::starting_of(pair.last_start_at, pair.last_accept_at, now, grid::kSettling);
  queue.resources_per_job = pair.resources_per_job;
  if (pair.resources_jobs > 0)
    queue.assigned_resources = static_cast<double>(pair.resources_sum) / static_cast<double>(pair.resources_jobs);
  return queue;
}

std::string_view word_of(prediction::Verdict verdict) {
  switch (verdict) {
    case prediction::Verdict::too_big: return "too_big";
    case prediction::Verdict::too_small: return "too_small";
    case prediction::Verdict::unknown: break;
  }
  return "right";
}

/// The trials as they were stored; of an algorithm of which none is stored, as at the beginning.
std::vector<prediction::Trial> trials_of(const store::PredictionPair& pair, double ratio) {
  auto trials = prediction::first_trials(ratio);
  for (auto& trial : trials) {
    const auto known = std::ranges::find(pair.trials, trial.algorithm->name(), &store::AlgorithmTrial::algorithm);
    if (known == pair.trials.end()) continue;
    trial.ratio = known->job_ratio;
    trial.waste = known->waste;
  }
  return trials;
}

/// @param algorithm  null: each pair has the one that has wasted least there
/// While the cluster does not answer, all stays as it is: its queue is not known.
store::PairForecast pair_forecast(const store::PredictionPair& pair, const store::PredictionCampaign& campaign,
                                  const prediction::Algorithm* algorithm, const process::Config& config, grid::Instant now) {
  const double old = pair.forecast_ratio.value_or(grid::first_ratio(pair.resources_per_job, pair.whole_nodes));
  const double upper = most_jobs_a_resource(pair, campaign, config);
  const prediction::LastCycle last{.free_offered = pair.last_offered, .nsub = pair.last_submitted};
  auto queue = queue_of(pair, now);
  queue.jobs_a_cycle = jobs_a_cycle(pair, upper, config);
  store::PairForecast forecast{.cluster = pair.cluster,
                               .job_ratio = old,
                               .verdict = word_of(prediction::verdict(old, last, queue)),
                               .waiting = queue.waiting,
                               .free = queue.free_resources};
  if (algorithm != nullptr) {
    forecast.algorithm = algorithm->name();
    if (pair.reachable) forecast.job_ratio = algorithm->next(old, last, queue, upper);
    return forecast;
  }
  auto trials = trials_of(pair, old);
  if (pair.reachable) prediction::judge(trials, old, last, queue, upper);
  const auto& best = prediction::least_wasteful(trials);
  forecast.algorithm = best.algorithm->name();
  if (pair.reachable) forecast.job_ratio = best.ratio;
  for (const auto& trial : trials)
    forecast.trials.push_back({.algorithm = std::string{trial.algorithm->name()}, .job_ratio = trial.ratio, .waste = trial.waste});
  return forecast;
}

store::StoredForecast forecast_of(grid::CampaignId id, const CampaignForecast& campaign) {
  return {.campaign = id,
          .pairs = {},
          .end = campaign.forecast.end,
          .end_between = campaign.forecast.between,
          .start = campaign.start ? std::optional{campaign.start->start} : std::nullopt,
          .start_between = campaign.start ? std::optional{campaign.start->between} : std::nullopt,
          .method = std::string{prediction::name_of(campaign.forecast.method)},
          .is_kept = campaign.is_kept};
}

double throughput_of(const store::PredictionPair& pair, grid::Instant started, const process::Config& config, grid::Instant now) {
  prediction::Progress progress;
  progress.now = now;
  progress.started = started;
  progress.ended_in_window = pair.ended_in_window;
  progress.window = std::chrono::duration_cast<grid::Seconds>(config.throughput_window);
  return prediction::forecast(progress).throughput;
}

}  // namespace

std::vector<store::RatioOutcome> ratio_outcomes(const store::PredictionFacts& facts, grid::Instant now) {
  std::vector<store::RatioOutcome> outcomes;
  for (const auto& pair : facts.pairs) {
    if (!pair.active || !pair.reachable || pair.last_submitted <= 0 || !pair.forecast_ratio) continue;
    const auto queue = queue_of(pair, now);
    const auto verdict = prediction::verdict(*pair.forecast_ratio, {.free_offered = pair.last_offered, .nsub = pair.last_submitted}, queue);
    outcomes.push_back({.campaign = pair.campaign,
                        .cluster = pair.cluster,
                        .verdict = word_of(verdict),
                        .offered = pair.last_offered,
                        .sent = pair.last_submitted,
                        .left_waiting = std::min(pair.last_submitted, pair.waiting),
                        .left_free = verdict == prediction::Verdict::too_small
                                         ? std::min(pair.last_offered, static_cast<double>(pair.free_resources))
                                         : 0.0});
  }
  return outcomes;
}

std::vector<store::StoredForecast> forecasts_of(const store::PredictionFacts& facts, const process::Config& config, grid::Instant now) {
  const auto algorithm = prediction::configured_algorithm(config.predictor_algorithm);
  if (!algorithm) throw std::invalid_argument{algorithm.error()};
  const auto campaigns = campaign_forecasts(facts, config, now);
  const auto facts_of_campaigns = by_id(facts);
  std::vector<store::StoredForecast> forecasts;
  for (const auto& pair : facts.pairs) {
    const auto& campaign = campaigns.at(pair.campaign);
    if (forecasts.empty() || forecasts.back().campaign != pair.campaign) forecasts.push_back(forecast_of(pair.campaign, campaign));
    if (!pair.active) continue;  // a pair that never had a job has nothing to forecast from
    auto& forecast =
        forecasts.back().pairs.emplace_back(pair_forecast(pair, *facts_of_campaigns.at(pair.campaign), *algorithm, config, now));
    forecast.throughput = throughput_of(pair, campaign.started, config, now);
  }
  return forecasts;
}

}  // namespace gleaner::predictor
