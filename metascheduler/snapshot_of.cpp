#include "metascheduler/snapshot_of.hpp"

#include <algorithm>
#include <cctype>
#include <map>

namespace gleaner::metascheduler {
namespace {

std::optional<planner::Brake> brake_of(const std::optional<store::ActiveBrake>& brake) {
  if (!brake) return std::nullopt;
  return planner::Brake{.reason = brake->reason, .until = brake->until};
}

/// OAR keeps only letters, digits and underscores of a name, and would act for somebody else.
bool is_login(const std::string& login) {
  return !login.empty() && std::ranges::all_of(login, [](unsigned char c) { return std::isalnum(c) || c == '_'; });
}

/// After repeated failures and the end of the brake, one job at a time until one succeeds.
std::optional<int> most_jobs(const store::PlanningPair& pair, const process::Config& config) {
  if (pair.failures_in_a_row >= config.failures_before_brake) return 1;
  return pair.max_jobs;
}

planner::PairView view_of(const store::PlanningPair& pair, const process::Config& config, grid::Instant now) {
  planner::PairView view{.campaign = pair.campaign, .cluster = pair.cluster};
  view.priority = pair.priority;
  view.resources_per_job = pair.resources_per_job;
  view.job_ratio = ratio_of(pair);
  view.live_jobs = pair.launching + pair.waiting + pair.running;
  view.waiting_jobs = pair.launching + pair.waiting;
  view.starting = grid::starting_of(pair.last_start_at, pair.last_accept_at, now, grid::kSettling);
  view.frozen_jobs = pair.unknown;
  view.concluded_jobs = pair.concluded;
  view.returned_tasks = pair.returned;
  view.max_jobs = most_jobs(pair, config);
  view.mapped = is_login(pair.login);
  view.brake = brake_of(pair.brake);
  return view;
}

planner::ClusterView view_of(const store::PlanningCluster& cluster, const process::Config& config, grid::Instant now) {
  planner::ClusterView view{.id = cluster.id, .name = cluster.name};
  view.power = cluster.power;
  view.max_resources = cluster.max_resources;
  view.free_resources = cluster.free;
  view.flood = cluster.flood;
  view.array_size = cluster.array_size;
  view.enabled = cluster.enabled;
  view.reachable = cluster.reachable;
  view.status_fresh = cluster.status_at && now - *cluster.status_at <= config.status_max_age;
  view.brake = brake_of(cluster.brake);
  return view;
}

}  // namespace

double ratio_of(const store::PlanningPair& pair) {
  if (pair.job_ratio && *pair.job_ratio > 0) return *pair.job_ratio;
  return pair.resources_per_job ? 1.0 / *pair.resources_per_job : 1.0;
}

planner::Snapshot snapshot_of(const store::PlanningFacts& facts, const process::Config& config, grid::Instant now) {
  planner::Snapshot snapshot;
  std::map<grid::ClusterId, std::size_t> index;
  for (const auto& cluster : facts.clusters) {
    index.emplace(cluster.id, snapshot.clusters.size());
    snapshot.clusters.push_back(view_of(cluster, config, now));
  }
  for (const auto& campaign : facts.campaigns) {
    planner::CampaignView view{.id = campaign.id, .user = campaign.user};
    view.type = campaign.type;
    view.state = campaign.state;
    view.submitted = campaign.submitted_at;
    view.waiting_tasks = campaign.waiting;
    view.brake = brake_of(campaign.brake);
    snapshot.campaigns.push_back(std::move(view));
  }
  for (const auto& pair : facts.pairs) {
    snapshot.pairs.push_back(view_of(pair, config, now));
    auto& cluster = snapshot.clusters[index.at(pair.cluster)];
    cluster.waiting_resources += pair.waiting / ratio_of(pair);
    cluster.unaccounted_resources += (pair.launching + pair.unknown) / ratio_of(pair);
  }
  return snapshot;
}

}  // namespace gleaner::metascheduler
