#include "lib/store/prediction.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "lib/store/batch.hpp"
#include "lib/store/detail.hpp"
#include "lib/store/events.hpp"
#include "lib/store/planning.hpp"

namespace gleaner::store {
namespace {

using detail::exec;
using detail::exec_prepared;

}  // namespace

namespace {

PredictionPair::Access access_of(const grid::PairFacts& facts, const grid::ClusterFacts& cluster) {
  if (!cluster.enabled || cluster.retired || !cluster.reachable || !grid::takes_tasks_now(facts)) return PredictionPair::Access::closed;
  if (cluster.max_resources + (facts.best_effort ? 0 : cluster.reserved_resources) <= 0) return PredictionPair::Access::without_resources;
  return facts.brake || cluster.brake ? PredictionPair::Access::braked : PredictionPair::Access::open;
}

}  // namespace

PredictionPair prediction_pair(const grid::PairFacts& facts, const grid::ClusterFacts& cluster) {
  PredictionPair pair{facts};
  pair.flood = cluster.flood_for_grid();
  pair.max_resources = cluster.max_resources;
  pair.whole_nodes = grid::whole_nodes(facts, cluster);
  pair.free_resources = cluster.free_for_grid();
  pair.reachable = cluster.reachable;
  pair.access = access_of(facts, cluster);
  pair.start_cost = cluster.start_cost;
  return pair;
}

PredictionCampaign prediction_campaign(const grid::CampaignFacts& facts) {
  PredictionCampaign campaign;
  campaign.id = facts.id;
  campaign.user = facts.user;
  campaign.submitted_at = facts.submitted;
  campaign.paused = facts.state == grid::CampaignState::paused;
  campaign.awaits = facts.awaits.has_value();
  campaign.follows = facts.holds_tasks.has_value();
  campaign.waiting = facts.waiting_tasks;
  campaign.braked = facts.brake.has_value();
  campaign.type = facts.type;
  campaign.priority = facts.priority;
  campaign.pools = grid::is_grouped(facts.grouping) && !facts.differing && facts.type != grid::CampaignType::test;
  campaign.side_by_side = facts.side_by_side;
  return campaign;
}

namespace {

void read_trials(Transaction& transaction, std::vector<PredictionPair>& pairs) {
  std::map<std::pair<grid::CampaignId, grid::ClusterId>, std::vector<AlgorithmTrial>> trials;
  for (const auto& row : exec_prepared(transaction, sql::prediction_trials{}))
    trials[{*row.campaign_id, *row.cluster_id}].push_back({.algorithm = *row.algorithm, .job_ratio = *row.job_ratio, .waste = *row.waste});
  if (trials.empty()) return;
  for (auto& pair : pairs) {
    if (auto found = trials.find({pair.campaign, pair.cluster}); found != trials.end()) pair.trials = std::move(found->second);
  }
}

/// As far as --why of the last plan says: bounds the pairs by what an administrator set, and closes those where no end of a job changes
/// that.
void read_stops(Transaction& transaction, std::vector<PredictionPair>& pairs) {
  std::map<std::pair<grid::CampaignId, grid::ClusterId>, PredictionPair*> by_key;
  for (const auto& row : exec_prepared(transaction, sql::prediction_stops{})) {
    if (by_key.empty()) {
      for (auto& pair : pairs) by_key.emplace(std::pair{pair.campaign, pair.cluster}, &pair);
    }
    const auto found = by_key.find({row.campaign_id.as<grid::CampaignId>(), row.cluster_id.as<grid::ClusterId>()});
    if (found == by_key.end()) continue;
    auto& pair = *found->second;
    pair.kept_resources = row.kept.value_or(0.0);
    if (row.limit_id.has_value())
      pair.limit = MetLimit{.shared = {*row.limit_id, std::string{*row.limit_of}},
                            .most = *row.limit_most,
                            .job_needs = row.job_needs,
                            .is_of_resources = row.limit_is_of_resources.value_or(false)};
    if (row.is_closed.value_or(false)) pair.access = PredictionPair::Access::closed;
  }
}

}  // namespace

PredictionFacts prediction_facts(Transaction& transaction, const ClusterDefaults& defaults, grid::Instant window_begin, grid::Instant now) {
  PredictionFacts facts;
  std::map<std::pair<std::int64_t, std::int64_t>, std::int64_t> ended;
  std::map<std::int64_t, std::size_t> places;  // of the campaigns, by id
  for (const auto& row : exec_prepared(transaction, sql::prediction_window{.window_begin = window_begin}))
    ended[{row.campaign_id.as<std::int64_t>(), row.cluster_id.as<std::int64_t>()}] = *row.jobs;
  auto counted = counted_facts(transaction, defaults);
  read_obstacles(transaction, counted, now);
  facts.pairs.reserve(counted.pairs.size());
  for (const auto& known : counted.pairs) {
    const auto& cluster = *std::ranges::lower_bound(counted.clusters, known.cluster, {}, &grid::ClusterFacts::id);
    if (!cluster.status_at) continue;  // never seen
    auto& pair = facts.pairs.emplace_back(prediction_pair(known, cluster));
    const auto found = ended.empty() ? ended.end() : ended.find({pair.campaign.value(), pair.cluster.value()});
    if (found != ended.end()) pair.ended_in_window = found->second;
  }
  for (const auto& row : exec_prepared(transaction, sql::prediction_campaigns{.window_begin = window_begin, .now = now})) {
    const auto known = std::ranges::lower_bound(counted.campaigns, row.id.as<grid::CampaignId>(), {}, &grid::CampaignFacts::id);
    if (known == counted.campaigns.end() || known->id != row.id.as<grid::CampaignId>()) continue;  // submitted since, or unreadable
    auto campaign = prediction_campaign(*known);
    campaign.first_start_at = row.first_start_at;
    campaign.remaining = *row.remaining;
    campaign.running = *row.running;
    campaign.running_seconds = *row.running_seconds;
    campaign.waiting = *row.waiting;
    campaign.held = row.held.as<std::int64_t>() + known->withheld_tasks;
    // The running tasks of a campaign that waits task by task show how fast the others come.
    campaign.awaits = campaign.awaits || (known->holds_tasks && campaign.running == 0);
    campaign.ended_in_window = *row.ended;
    if (row.kept_at.has_value()) campaign.last_kept = KeptForecast{.made = *row.kept_at, .end = *row.kept_end};
    places.emplace(campaign.id.value(), facts.campaigns.size());
    facts.campaigns.push_back(campaign);
  }
  read_trials(transaction, facts.pairs);
  read_stops(transaction, facts.pairs);
  // The campaign was cancelled since its pairs were read.
  std::erase_if(facts.pairs, [&](const PredictionPair& pair) { return !places.contains(pair.campaign.value()); });
  for (const auto& row : exec_prepared(transaction, sql::prediction_earlier{})) {
    const auto place = places.find(row.id.as<std::int64_t>());
    if (place == places.end()) continue;
    facts.campaigns[place->second].earlier = {.count = *row.done, .sum = *row.duration_sum, .squares = *row.duration_squares};
  }
  return facts;
}

namespace {

sql::campaign_forecast forecast_row(const StoredForecast& forecast) {
  const auto earliest = [](const std::optional<grid::Interval>& interval) {
    return interval ? std::optional{interval->earliest} : std::nullopt;
  };
  const auto latest = [](const std::optional<grid::Interval>& interval) {
    return interval ? std::optional{interval->latest} : std::nullopt;
  };
  return {
      .campaign_id = forecast.campaign,
      .method = forecast.method,
      .end_at = forecast.end,
      .end_earliest = earliest(forecast.end_between),
      .end_latest = latest(forecast.end_between),
      .start_at = forecast.start,
      .start_earliest = earliest(forecast.start_between),
      .start_latest = latest(forecast.start_between),
      .kept = forecast.is_kept,
  };
}

void write_some_forecasts(Transaction& transaction, std::span<const StoredForecast> forecasts, grid::Instant now) {
  std::vector<sql::campaign_forecast> campaigns;
  std::vector<sql::pair_forecast> pairs;
  std::vector<sql::algorithm_trial> trials;
  for (const auto& forecast : forecasts) {
    campaigns.push_back(forecast_row(forecast));
    for (const auto& pair : forecast.pairs) {
      pairs.push_back({.campaign_id = forecast.campaign,
                       .cluster_id = pair.cluster,
                       .job_ratio = pair.job_ratio,
                       .throughput = pair.throughput,
                       .algorithm = pair.algorithm,
                       .verdict = pair.verdict,
                       .waiting = pair.waiting,
                       .free = pair.free});
      for (const auto& trial : pair.trials)
        trials.push_back({.campaign_id = forecast.campaign,
                          .cluster_id = pair.cluster,
                          .algorithm = trial.algorithm,
                          .job_ratio = trial.job_ratio,
                          .waste = trial.waste});
    }
  }
  exec_prepared(transaction, sql::prediction_write{.now = now, .campaigns = campaigns, .pairs = pairs});
  if (!trials.empty()) exec_prepared(transaction, sql::prediction_write_trials{.trials = trials});
}

}  // namespace

void write_forecasts(Transaction& transaction, std::span<const StoredForecast> forecasts, grid::Instant now) {
  write_batch(
      transaction, forecasts, [&](std::span<const StoredForecast> part) { write_some_forecasts(transaction, part, now); },
      [&](const StoredForecast& forecast, const std::string& why) {
        note_refused(transaction, {.campaign = forecast.campaign, .cluster = {}}, "a forecast", why, now);
      });
}

std::vector<KeptForecast> forecast_history(Transaction& transaction, grid::CampaignId campaign) {
  std::vector<KeptForecast> history;
  for (const auto& row : exec(transaction, sql::prediction_history{.campaign = campaign})) {
    auto& kept = history.emplace_back(KeptForecast{.made = *row.made_at, .end = *row.end_at});
    if (row.end_earliest.has_value() && row.end_latest.has_value()) kept.end_between = grid::Interval{*row.end_earliest, *row.end_latest};
    kept.method = *row.method;
  }
  auto kept = history.begin();
  for (const auto& row : exec(transaction, sql::prediction_pair_history{.campaign = campaign})) {
    kept = std::ranges::find(kept, history.end(), row.made_at.as<grid::Instant>(), &KeptForecast::made);
    if (kept == history.end()) break;  // kept between the two queries
    kept->pairs.push_back({.cluster = *row.cluster,
                           .job_ratio = *row.job_ratio,
                           .algorithm = *row.algorithm,
                           .throughput = *row.throughput,
                           .submitted = *row.nsub,
                           .running = *row.running});
  }
  return history;
}

}  // namespace gleaner::store
