#include "metascheduler/planner/feasible.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <unordered_map>

namespace gleaner::planner {
namespace {

Stop braked(Reason reason, const Brake& brake) {
  Figures figures;
  figures.note = brake.reason;
  figures.until = brake.until;
  return {reason, std::move(figures)};
}

std::optional<Stop> whole_campaign(const Contender& contender) {
  const auto& campaign = *contender.campaign;
  if (campaign.state != grid::CampaignState::in_treatment) return Stop{Reason::paused};
  if (campaign.brake) return braked(Reason::campaign_braked, *campaign.brake);
  if (contender.candidates.empty()) return Stop{Reason::no_cluster};
  if (campaign.waiting_tasks > 0) return std::nullopt;
  Figures figures;
  for (const auto& candidate : contender.candidates) {
    figures.frozen_jobs += candidate.pair->frozen_jobs;
    figures.live_jobs += candidate.pair->live_jobs;
  }
  const auto reason = figures.frozen_jobs > 0 ? Reason::frozen : Reason::bag_empty;
  return Stop{reason, std::move(figures)};
}

std::optional<Stop> one_cluster(const CampaignView& campaign, const Candidate& candidate) {
  const auto& cluster = *candidate.cluster;
  const auto& pair = *candidate.pair;
  if (!cluster.enabled) return Stop{Reason::cluster_disabled};
  if (!cluster.reachable) return Stop{Reason::unreachable};
  if (!cluster.status_fresh) return Stop{Reason::stale_status};
  if (cluster.brake) return braked(Reason::cluster_braked, *cluster.brake);
  if (pair.brake) return braked(Reason::pair_braked, *pair.brake);
  Figures figures;
  if (!pair.mapped) {
    figures.note = campaign.user;
    return Stop{Reason::not_mapped, std::move(figures)};
  }
  if (pair.resources_per_job.value_or(0) > cluster.max_resources) {
    figures.job_resources = *pair.resources_per_job;
    figures.max_resources = cluster.max_resources;
    return Stop{Reason::too_big, std::move(figures)};
  }
  return std::nullopt;
}

/// A cluster that cannot be asked may still show a job of the void launch when it is back: its
/// tasks wait for it. Any other stop may last, and there a late job is seen and dealt with.
bool keeps_its_tasks(const Candidate& candidate) {
  return candidate.cluster->enabled && (!candidate.cluster->reachable || !candidate.cluster->status_fresh);
}

std::vector<Contender> pair_up(const Snapshot& snapshot) {
  std::unordered_map<grid::ClusterId, const ClusterView*> clusters;
  for (const auto& cluster : snapshot.clusters) clusters.emplace(cluster.id, &cluster);
  std::vector<Contender> contenders;
  contenders.reserve(snapshot.campaigns.size());
  for (const auto& campaign : snapshot.campaigns) contenders.push_back({.campaign = &campaign, .candidates = {}});
  std::ranges::sort(contenders, {}, [](const Contender& contender) { return contender.campaign->id; });
  std::unordered_map<grid::CampaignId, Contender*> by_id;
  for (auto& contender : contenders) by_id.emplace(contender.campaign->id, &contender);
  for (const auto& pair : snapshot.pairs) {
    const auto campaign = by_id.find(pair.campaign);
    const auto cluster = clusters.find(pair.cluster);
    if (campaign == by_id.end() || cluster == clusters.end())
      throw std::invalid_argument{fmt::format("the pair of campaign {} and cluster {} is not of this snapshot",
                                              pair.campaign.value(), pair.cluster.value())};
    campaign->second->candidates.push_back({.pair = &pair, .cluster = cluster->second});
  }
  for (auto& contender : contenders)
    std::ranges::sort(contender.candidates, {}, [](const Candidate& candidate) { return candidate.cluster->id; });
  return contenders;
}

void check_clusters(Contender& contender, Plan& plan) {
  filter(Stage::feasible, contender, plan.decisions, [&](const Candidate& candidate) {
    auto stop = one_cluster(*contender.campaign, candidate);
    const auto returned = candidate.pair->returned_tasks;
    if (returned > 0) {
      if (stop && !keeps_its_tasks(candidate)) plan.releases.push_back({contender.campaign->id, candidate.cluster->id});
      else contender.reserved_tasks += returned;
    }
    return stop;
  });
  contender.reserved_tasks = std::min(contender.reserved_tasks, contender.campaign->waiting_tasks);
}

}  // namespace

std::vector<Contender> feasible(const Snapshot& snapshot, Plan& plan) {
  std::vector<Contender> kept;
  for (auto& contender : pair_up(snapshot)) {
    if (auto stop = whole_campaign(contender)) {
      plan.decisions.push_back({.campaign = contender.campaign->id,
                                .cluster = std::nullopt,
                                .stage = Stage::feasible,
                                .reason = stop->reason,
                                .jobs = 0,
                                .figures = std::move(stop->figures)});
      continue;
    }
    check_clusters(contender, plan);
    if (!contender.candidates.empty()) kept.push_back(std::move(contender));
  }
  return kept;
}

}  // namespace gleaner::planner
