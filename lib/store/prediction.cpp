#include "lib/store/prediction.hpp"

#include <map>
#include <utility>

#include "lib/store/detail.hpp"

namespace gleaner::store {
namespace {

using detail::Array;
using detail::exec;
using detail::get;
using detail::get_instant;
using detail::micros;

PredictionPair read_pair(const pqxx::row& row) {
  PredictionPair pair;
  pair.campaign = grid::CampaignId{row["campaign_id"].as<std::int64_t>()};
  pair.cluster = grid::ClusterId{row["cluster_id"].as<std::int64_t>()};
  pair.resources_per_job = get<int>(row["resources_per_job"]);
  pair.running = row["running"].as<int>();
  pair.waiting = row["waiting"].as<int>();
  pair.resources_sum = row["resources_sum"].as<std::int64_t>();
  pair.resources_jobs = row["resources_jobs"].as<std::int64_t>();
  pair.done = row["done"].as<std::int64_t>();
  pair.duration_sum = row["duration_sum"].as<double>();
  pair.duration_squares = row["duration_squares"].as<double>();
  pair.last_start_at = get_instant(row["last_start_at"]);
  pair.last_accept_at = get_instant(row["last_accept_at"]);
  pair.job_ratio = get<double>(row["job_ratio"]);
  pair.nsub = get<int>(row["nsub"]).value_or(0);
  pair.offered = get<double>(row["offered"]).value_or(0);
  pair.flood = row["flood"].as<double>();
  pair.max_resources = row["max_resources"].as<int>();
  pair.free = row["free"].as<int>();
  pair.reachable = row["reachable"].as<bool>();
  pair.walltime = row["walltime_s"].as<double>();
  pair.max_jobs = get<int>(row["max_jobs"]);
  return pair;
}

void add(Array& array, std::optional<double> value) {
  if (value) array.add(*value);
  else array.add(std::optional<std::int64_t>{});
}

}  // namespace

PredictionFacts prediction_facts(Transaction& transaction, double default_flood, grid::Instant window_begin) {
  PredictionFacts facts;
  std::map<std::pair<std::int64_t, std::int64_t>, std::int64_t> ended;
  std::map<std::int64_t, std::size_t> places;  // of the campaigns, by their id
  for (const auto& row : exec(transaction, sql::prediction_window, micros(window_begin)))
    ended[{row[0].as<std::int64_t>(), row[1].as<std::int64_t>()}] = row[2].as<std::int64_t>();
  for (const auto& row : exec(transaction, sql::prediction_pairs, default_flood)) {
    auto pair = read_pair(row);
    const auto found = ended.find({pair.campaign.value(), pair.cluster.value()});
    if (found != ended.end()) pair.ended_in_window = found->second;
    facts.pairs.push_back(pair);
  }
  for (const auto& row : exec(transaction, sql::prediction_campaigns, micros(window_begin))) {
    PredictionCampaign campaign;
    campaign.id = grid::CampaignId{row["id"].as<std::int64_t>()};
    campaign.submitted_at = *get_instant(row["submitted_at"]);
    campaign.first_start_at = get_instant(row["first_start_at"]);
    campaign.remaining = row["remaining"].as<std::int64_t>();
    campaign.running = row["running"].as<std::int64_t>();
    campaign.ended_in_window = row["ended"].as<std::int64_t>();
    campaign.paused = row["paused"].as<bool>();
    places.emplace(campaign.id.value(), facts.campaigns.size());
    facts.campaigns.push_back(campaign);
  }
  // One that was cancelled since its pairs were read.
  std::erase_if(facts.pairs, [&](const PredictionPair& pair) { return !places.contains(pair.campaign.value()); });
  for (const auto& row : exec(transaction, sql::prediction_earlier)) {
    const auto place = places.find(row["id"].as<std::int64_t>());
    if (place == places.end()) continue;
    auto& campaign = facts.campaigns[place->second];
    campaign.earlier_done = row["done"].as<std::int64_t>();
    campaign.earlier_sum = row["duration_sum"].as<double>();
    campaign.earlier_squares = row["duration_squares"].as<double>();
  }
  return facts;
}

void write_forecasts(Transaction& transaction, std::span<const StoredForecast> forecasts, grid::Instant now) {
  if (forecasts.empty()) return;
  Array campaigns, clusters, ratios, throughputs, means, deviations, ends, methods;
  Array ends_earliest, ends_latest, starts, starts_earliest, starts_latest;
  const auto add_interval = [](Array& earliest, Array& latest, const std::optional<grid::Interval>& interval) {
    earliest.add(interval ? std::optional{interval->earliest} : std::nullopt);
    latest.add(interval ? std::optional{interval->latest} : std::nullopt);
  };
  for (const auto& forecast : forecasts) {
    campaigns.add(forecast.campaign.value());
    clusters.add(forecast.cluster.value());
    ratios.add(forecast.job_ratio);
    throughputs.add(forecast.throughput);
    add(means, forecast.mean);
    add(deviations, forecast.deviation);
    ends.add(forecast.end);
    methods.add(std::string_view{forecast.method});
    add_interval(ends_earliest, ends_latest, forecast.end_between);
    starts.add(forecast.start);
    add_interval(starts_earliest, starts_latest, forecast.start_between);
  }
  exec(transaction, sql::prediction_write, campaigns.literal(), clusters.literal(), ratios.literal(), throughputs.literal(), means.literal(),
       deviations.literal(), ends.literal(), methods.literal(), micros(now), ends_earliest.literal(), ends_latest.literal(), starts.literal(),
       starts_earliest.literal(), starts_latest.literal());
}

}  // namespace gleaner::store
