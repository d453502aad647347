#pragma once
#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "metascheduler/planner/plan.hpp"

/// Snapshots as sentences, and what a plan gives in a form that reads well in a failure.
namespace gleaner::planner::test {

inline grid::ClusterId cluster_id(std::int64_t id) { return grid::ClusterId{id}; }
inline grid::CampaignId campaign_id(std::int64_t id) { return grid::CampaignId{id}; }

/// A cluster of 16 resources, all free, that takes arrays of 1000 and lets nothing wait.
inline ClusterView a_cluster(std::int64_t id, std::string name = "alpha") {
  ClusterView cluster;
  cluster.id = cluster_id(id);
  cluster.name = std::move(name);
  cluster.max_resources = cluster.free_resources = 16;
  cluster.array_size = 1000;
  return cluster;
}
inline CampaignView a_campaign(std::int64_t id, std::int64_t tasks = 100) {
  CampaignView campaign;
  campaign.id = campaign_id(id);
  campaign.user = "ada";
  campaign.submitted = grid::from_unix(1000 + id);
  campaign.waiting_tasks = tasks;
  campaign.scheduler = "workqueue";
  return campaign;
}
inline CampaignView a_test_campaign(std::int64_t id, std::int64_t tasks = 100) {
  auto campaign = a_campaign(id, tasks);
  campaign.type = grid::CampaignType::test;
  return campaign;
}
inline PairView a_pair(std::int64_t campaign, std::int64_t cluster, int resources_per_job = 1) {
  PairView pair;
  pair.campaign = campaign_id(campaign);
  pair.cluster = cluster_id(cluster);
  pair.resources_per_job = resources_per_job;
  pair.job_ratio = 1.0 / resources_per_job;
  return pair;
}
/// One campaign of 100 tasks on one cluster of 16 free resources.
inline Snapshot one_of_each(int resources_per_job = 1) {
  return {.clusters = {a_cluster(1)}, .campaigns = {a_campaign(1)}, .pairs = {a_pair(1, 1, resources_per_job)}};
}

/// One campaign on alpha and beta, each of 16 free resources.
inline Snapshot two_clusters(std::int64_t tasks) {
  return {.clusters = {a_cluster(1), a_cluster(2, "beta")}, .campaigns = {a_campaign(1, tasks)}, .pairs = {a_pair(1, 1), a_pair(1, 2)}};
}

/// Campaigns of ada, bob… on one cluster of 16 free resources.
inline Snapshot users(const std::vector<std::string>& names) {
  Snapshot snapshot{.clusters = {a_cluster(1)}, .campaigns = {}, .pairs = {}};
  for (std::int64_t i = 1; i <= std::ssize(names); ++i) {
    snapshot.campaigns.push_back(a_campaign(i));
    snapshot.campaigns.back().user = names[static_cast<std::size_t>(i - 1)];
    snapshot.pairs.push_back(a_pair(i, 1));
    snapshot.pairs.back().walltime = 3600;
  }
  return snapshot;
}

inline int jobs_on(const Plan& plan, std::int64_t campaign, std::int64_t cluster) {
  int jobs = 0;
  for (const auto& launch : plan.launches) {
    if (launch.campaign == campaign_id(campaign) && launch.cluster == cluster_id(cluster)) jobs += launch.jobs;
  }
  return jobs;
}

/// The decision on a pair, or on its whole campaign.
inline const Decision* decision_on(const Plan& plan, std::int64_t campaign, std::int64_t cluster) {
  const auto found = std::ranges::find_if(plan.decisions, [&](const Decision& decision) {
    return decision.campaign == campaign_id(campaign) && (!decision.cluster || *decision.cluster == cluster_id(cluster));
  });
  return found == plan.decisions.end() ? nullptr : &*found;
}
inline std::string reason_on(const Plan& plan, std::int64_t campaign, std::int64_t cluster) {
  const auto* decision = decision_on(plan, campaign, cluster);
  return decision ? std::string{name_of(decision->reason)} : "no decision";
}

}  // namespace gleaner::planner::test
