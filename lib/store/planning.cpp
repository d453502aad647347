#include "lib/store/planning.hpp"

#include "lib/store/detail.hpp"

namespace gleaner::store {
namespace {

using detail::Array;
using detail::exec;
using detail::get;
using detail::get_instant;
using detail::micros;
using detail::text;

std::optional<ActiveBrake> brake_of(const pqxx::row& row) {
  if (row["brake"].is_null()) return std::nullopt;
  return ActiveBrake{text(row["brake"]), *get_instant(row["brake_until"])};
}

PlanningCluster read_cluster(const pqxx::row& row) {
  PlanningCluster cluster;
  cluster.id = grid::ClusterId{row["id"].as<std::int64_t>()};
  cluster.name = text(row["name"]);
  cluster.power = row["power"].as<double>();
  cluster.cost = row["cost"].as<double>();
  cluster.transfer_mb_s = row["transfer_mb_s"].as<double>();
  cluster.job_limit = get<int>(row["job_limit"]);
  cluster.flood = row["flood"].as<double>();
  cluster.array_size = row["array_size"].as<int>();
  cluster.enabled = row["enabled"].as<bool>();
  cluster.reachable = row["reachable"].as<bool>();
  cluster.max_resources = get<int>(row["max_resources"]).value_or(0);
  cluster.free = get<int>(row["free"]).value_or(0);
  cluster.status_at = get_instant(row["status_at"]);
  cluster.brake = brake_of(row);
  return cluster;
}

PlanningCampaign read_campaign(const pqxx::row& row) {
  PlanningCampaign campaign;
  campaign.id = grid::CampaignId{row["id"].as<std::int64_t>()};
  campaign.user = text(row["user_name"]);
  campaign.type = grid::campaign_type(text(row["type"])).value();
  campaign.state = grid::campaign_state(text(row["state"])).value();
  campaign.submitted_at = *get_instant(row["submitted_at"]);
  campaign.waiting = row["waiting"].as<std::int64_t>();
  campaign.priority = row["priority"].as<int>();
  campaign.project = text(row["project"]);
  campaign.scheduler = get<std::string>(row["scheduler"]);
  campaign.input_mb = get<double>(row["input_mb"]).value_or(0);
  campaign.min_duration = get<double>(row["min_duration_s"]);
  campaign.brake = brake_of(row);
  return campaign;
}

PlanningPair read_pair(const pqxx::row& row) {
  PlanningPair pair;
  pair.campaign = grid::CampaignId{row["campaign_id"].as<std::int64_t>()};
  pair.cluster = grid::ClusterId{row["cluster_id"].as<std::int64_t>()};
  pair.priority = row["priority"].as<int>();
  pair.resources_per_job = get<int>(row["resources_per_job"]);
  pair.job_ratio = get<double>(row["job_ratio"]);
  pair.launching = row["launching"].as<int>();
  pair.waiting = row["waiting"].as<int>();
  pair.running = row["running"].as<int>();
  pair.unknown = row["unknown"].as<int>();
  pair.concluded = row["concluded"].as<std::int64_t>();
  pair.max_jobs = get<int>(row["max_jobs"]);
  pair.failures_in_a_row = row["failures_in_a_row"].as<int>();
  pair.last_failure_at = get_instant(row["last_failure_at"]);
  pair.walltime = row["walltime_s"].as<double>();
  pair.done = row["done"].as<std::int64_t>();
  pair.duration_sum = row["duration_sum"].as<double>();
  pair.resources_sum = row["resources_sum"].as<std::int64_t>();
  pair.resources_jobs = row["resources_jobs"].as<std::int64_t>();
  pair.last_start_at = get_instant(row["last_start_at"]);
  pair.last_accept_at = get_instant(row["last_accept_at"]);
  pair.returned = row["returned"].as<std::int64_t>();
  pair.login = text(row["login"]);
  pair.brake = brake_of(row);
  return pair;
}

}  // namespace

std::vector<PlanningCluster> planning_clusters(Transaction& transaction, const ClusterDefaults& defaults, grid::Instant now) {
  std::vector<PlanningCluster> clusters;
  for (const auto& row : exec(transaction, sql::planning_clusters, defaults.flood, defaults.array_size, micros(now)))
    clusters.push_back(read_cluster(row));
  return clusters;
}

PlanningFacts planning_facts(Transaction& transaction, const ClusterDefaults& defaults, int usage_days, grid::Instant now) {
  PlanningFacts facts;
  facts.clusters = planning_clusters(transaction, defaults, now);
  for (const auto& row : exec(transaction, sql::planning_campaigns, micros(now))) facts.campaigns.push_back(read_campaign(row));
  for (const auto& row : exec(transaction, sql::planning_pairs, micros(now))) facts.pairs.push_back(read_pair(row));
  facts.policies = policy_facts(transaction, usage_days, now);
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
  Array campaigns, clusters, stages, reasons, sentences, jobs;
  for (const auto& decision : decisions) {
    campaigns.add(decision.campaign.value());
    clusters.add(decision.cluster ? decision.cluster->value() : 0);
    stages.add(std::string_view{decision.stage});
    reasons.add(std::string_view{decision.reason});
    sentences.add(std::string_view{decision.sentence});
    jobs.add(std::int64_t{decision.jobs});
  }
  exec(transaction, sql::planning_decide, campaigns.literal(), clusters.literal(), stages.literal(), reasons.literal(), sentences.literal(),
       jobs.literal(), micros(now));
}

}  // namespace gleaner::store
