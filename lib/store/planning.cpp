#include "lib/store/planning.hpp"

#include <map>

#include "lib/store/detail.hpp"

namespace gleaner::store {
namespace {

using detail::Array;
using detail::Columns;
using detail::exec;
using detail::micros;

std::optional<ActiveBrake> brake_of(Columns& row) {
  auto reason = row.maybe<std::string>();
  const auto until = row.time();
  if (!reason) return std::nullopt;
  return ActiveBrake{std::move(*reason), *until};
}

// Each in the order of its query's columns.

PlanningCluster read_cluster(Columns row) {
  PlanningCluster cluster;
  cluster.id = row.id<grid::ClusterId>();
  cluster.name = row.words();
  cluster.power = row.take<double>();
  cluster.flood = row.take<double>();
  cluster.array_size = row.take<int>();
  cluster.enabled = row.take<bool>();
  cluster.cost = row.take<double>();
  cluster.transfer_mb_s = row.take<double>();
  cluster.job_limit = row.maybe<int>();
  cluster.stress_reason = row.words();
  cluster.reachable = row.take<bool>();
  cluster.max_resources = row.maybe<int>().value_or(0);
  cluster.free = row.maybe<int>().value_or(0);
  cluster.status_at = row.time();
  cluster.brake = brake_of(row);
  return cluster;
}

PlanningCampaign read_campaign(Columns row) {
  PlanningCampaign campaign;
  campaign.id = row.id<grid::CampaignId>();
  campaign.user = row.words();
  campaign.type = grid::campaign_type(row.words()).value();
  campaign.state = grid::campaign_state(row.words()).value();
  campaign.submitted_at = row.time().value();
  campaign.priority = row.take<int>();
  campaign.project = row.words();
  campaign.scheduler = row.maybe<std::string>();
  campaign.min_duration = row.maybe<double>();
  campaign.input_mb = row.maybe<double>().value_or(0);
  campaign.replicas_allowed = row.take<bool>();
  campaign.waiting = row.take<std::int64_t>();
  campaign.brake = brake_of(row);
  return campaign;
}

PlanningPair read_pair(Columns row) {
  PlanningPair pair;
  pair.campaign = row.id<grid::CampaignId>();
  pair.cluster = row.id<grid::ClusterId>();
  pair.priority = row.take<int>();
  pair.resources_per_job = row.maybe<int>();
  pair.job_ratio = row.maybe<double>();
  pair.launching = row.take<int>();
  pair.waiting = row.take<int>();
  pair.running = row.take<int>();
  pair.unknown = row.take<int>();
  pair.concluded = row.take<std::int64_t>();
  pair.max_jobs = row.maybe<int>();
  pair.failures_in_a_row = row.take<int>();
  pair.last_failure_at = row.time();
  pair.walltime = row.take<double>();
  pair.done = row.take<std::int64_t>();
  pair.duration_sum = row.take<double>();
  pair.resources_sum = row.take<std::int64_t>();
  pair.resources_jobs = row.take<std::int64_t>();
  pair.last_start_at = row.time();
  pair.last_accept_at = row.time();
  pair.returned = row.take<std::int64_t>();
  pair.login = row.words();
  pair.brake = brake_of(row);
  return pair;
}

using DecisionKey = std::pair<std::int64_t, std::int64_t>;  // campaign, and cluster or 0

DecisionKey key_of(const StoredDecision& decision) { return {decision.campaign.value(), decision.cluster ? decision.cluster->value() : 0}; }

/// FNV-1a: the same in every build, as the database keeps it.
std::int64_t digest_of(const StoredDecision& decision) {
  std::uint64_t digest = 14695981039346656037ULL;
  const auto add = [&](std::string_view text) {
    for (const auto c : text) digest = (digest ^ static_cast<unsigned char>(c)) * 1099511628211ULL;
    digest = (digest ^ 0xffU) * 1099511628211ULL;
  };
  for (const std::string_view text : {std::string_view{decision.stage}, std::string_view{decision.reason}, std::string_view{decision.sentence}}) add(text);
  add(std::to_string(decision.jobs));
  return static_cast<std::int64_t>(digest);
}

}  // namespace

std::vector<PlanningCluster> planning_clusters(Transaction& transaction, const ClusterDefaults& defaults, grid::Instant now) {
  std::vector<PlanningCluster> clusters;
  for (const auto& row : exec(transaction, sql::planning_clusters, defaults.flood, defaults.array_size, micros(now)))
    clusters.push_back(read_cluster(Columns{row}));
  return clusters;
}

PlanningFacts planning_facts(Transaction& transaction, const ClusterDefaults& defaults, grid::Instant now) {
  PlanningFacts facts;
  facts.clusters = planning_clusters(transaction, defaults, now);
  for (const auto& row : exec(transaction, sql::planning_campaigns, micros(now))) facts.campaigns.push_back(read_campaign(Columns{row}));
  for (const auto& row : exec(transaction, sql::planning_pairs, micros(now))) facts.pairs.push_back(read_pair(Columns{row}));
  return facts;
}

int plan_launch(Transaction& transaction, const PlannedLaunch& launch, Term term, grid::Instant now) {
  const auto take = [&](std::string_view query, int jobs, double resources) {
    return exec(transaction, query, launch.campaign.value(), launch.cluster.value(), jobs, resources, term, micros(now));
  };
  const auto plain = take(sql::planning_launch, launch.jobs, launch.resources);
  if (!plain.empty()) return plain[0]["jobs"].as<int>();
  // Nothing, or a campaign whose tasks differ: those that ask for other resources are another launch, while there is room for a job
  // like the last.
  int jobs = 0;
  double resources = launch.resources;
  while (jobs < launch.jobs) {
    const auto rows = take(sql::planning_launch_by_request, launch.jobs - jobs, resources);
    if (rows.empty()) break;
    const auto got = rows[0]["jobs"].as<int>();
    const auto taken = rows[0]["resources"].as<double>();
    jobs += got;
    resources -= taken;
    if (resources * got < taken) break;
  }
  return jobs;
}

void release_bound(Transaction& transaction, grid::CampaignId campaign, grid::ClusterId cluster) {
  exec(transaction, sql::planning_release, campaign.value(), cluster.value());
}

void write_submitted(Transaction& transaction, std::span<const Submitted> submitted, grid::Instant now) {
  Array campaigns, clusters, jobs, offered, ratios;
  for (const auto& one : submitted) {
    campaigns.add(one.campaign.value());
    clusters.add(one.cluster.value());
    jobs.add(std::int64_t{one.jobs});
    offered.add(one.offered);
    ratios.add(one.first_ratio);
  }
  exec(transaction, sql::planning_submitted, campaigns.literal(), clusters.literal(), jobs.literal(), offered.literal(), ratios.literal(),
       micros(now));
}

void write_decisions(Transaction& transaction, std::span<const StoredDecision> decisions, grid::Instant now) {
  std::map<DecisionKey, std::int64_t> gone;
  for (const auto& row : exec(transaction, sql::planning_decided))
    gone.emplace(DecisionKey{row[0].as<std::int64_t>(), row[1].as<std::int64_t>()}, row[2].as<std::int64_t>());
  Array campaigns, clusters, stages, reasons, sentences, jobs, digests;
  bool changed = false;
  for (const auto& decision : decisions) {
    const auto digest = digest_of(decision);
    const auto key = key_of(decision);
    const auto written = gone.extract(key);
    if (!written.empty() && written.mapped() == digest) continue;
    changed = true;
    campaigns.add(key.first);
    clusters.add(key.second);
    stages.add(std::string_view{decision.stage});
    reasons.add(std::string_view{decision.reason});
    sentences.add(std::string_view{decision.sentence});
    jobs.add(std::int64_t{decision.jobs});
    digests.add(digest);
  }
  if (changed)
    exec(transaction, sql::planning_decide, campaigns.literal(), clusters.literal(), stages.literal(), reasons.literal(), sentences.literal(),
         jobs.literal(), digests.literal(), micros(now));
  if (gone.empty()) return;
  Array old_campaigns, old_clusters;
  for (const auto& [key, digest] : gone) {
    old_campaigns.add(key.first);
    old_clusters.add(key.second);
  }
  exec(transaction, sql::planning_undecide, old_campaigns.literal(), old_clusters.literal());
}

}  // namespace gleaner::store
