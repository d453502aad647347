#include <algorithm>
#include <cmath>
#include <tuple>

#include "lib/grid/dust.hpp"
#include "metascheduler/planner/room.hpp"
#include "metascheduler/planner/stages.hpp"

namespace gleaner::planner {
namespace {

using grid::kDust;

bool may_replicate(const CampaignView& campaign) {
  return campaign.replicas_allowed && campaign.state == grid::CampaignState::in_treatment && !campaign.brake &&
         campaign.waiting_tasks == 0 && campaign.type != grid::CampaignType::test;
}

/// Replicas that a pair got in this plan.
int replicas_of(const PairView& pair, const Plan& plan) {
  int jobs = 0;
  for (const auto& replicas : plan.replicas) {
    if (replicas.campaign == pair.campaign && replicas.cluster == pair.cluster) jobs += replicas.jobs;
  }
  return jobs;
}

std::vector<Contender> replicable(const Draft& draft) {
  std::vector<Contender> found;
  for (const auto& campaign : draft.snapshot.campaigns) {
    if (may_replicate(campaign)) found.push_back({.campaign = &campaign});
  }
  if (found.empty()) return found;
  for (const auto& pair : draft.snapshot.pairs) {
    const auto contender = std::ranges::find(found, pair.campaign, [](const Contender& one) { return one.campaign->id; });
    if (contender == found.end()) continue;
    const auto cluster = std::ranges::find(draft.snapshot.clusters, pair.cluster, &ClusterView::id);
    if (cluster == draft.snapshot.clusters.end()) continue;
    auto candidate = candidate_of(pair, *cluster, static_cast<std::size_t>(cluster - draft.snapshot.clusters.begin()));
    candidate.jobs = replicas_of(pair, draft.plan);
    contender->candidates.push_back(candidate);
  }
  for (auto& contender : found) {
    contender.limits = draft.limits.holding(*contender.campaign);
    std::ranges::sort(contender.candidates, {}, [](const Candidate& candidate) {
      return std::tuple{-candidate.cluster->power, candidate.cluster->id};
    });
  }
  std::ranges::sort(found, {}, [](const Contender& one) {
    return std::tuple{one.campaign->priority, one.campaign->submitted, one.campaign->id};
  });
  return found;
}

int count(const PairView& pair, ReplicaKind kind) { return kind == ReplicaKind::expired ? pair.expired_tasks : pair.replicable_tasks; }

/// Replicas that a cluster can take: by its free resources, its array_size, and all caps.
int room_of(const Contender& contender, Candidate& candidate, const Draft& draft) {
  const auto& pair = *candidate.pair;
  allow(Tasks::running, scheduler_of(*contender.campaign), contender, {&candidate}, draft);
  const auto offer = draft.ledger.left(candidate.cluster_index, pair.campaign, pair.walltime);
  const double each = job_resources(pair, *candidate.cluster);
  const int free = static_cast<int>(std::floor(offer.free / each + kDust));
  return std::min({free, candidate.allowed.jobs, std::max(1, candidate.cluster->array_size)});
}

}  // namespace

void replicate(ReplicaKind kind, Draft& draft) {
  for (auto& contender : replicable(draft)) {
    int all = 0;
    for (const auto& candidate : contender.candidates) all += count(*candidate.pair, kind);
    for (auto& candidate : contender.candidates) {
      const int elsewhere = all - std::min(all, count(*candidate.pair, kind));
      if (elsewhere <= 0 || why_not(*contender.campaign, *candidate.cluster, *candidate.pair)) continue;
      const int jobs = std::min(room_of(contender, candidate, draft), elsewhere);
      if (jobs <= 0) continue;
      all -= jobs;
      const double resources = jobs * job_resources(*candidate.pair, *candidate.cluster);
      draft.ledger.take(candidate.cluster_index, contender.campaign->id, candidate.pair->walltime, jobs, resources);
      draft.limits.take(contender, candidate, jobs, 0);
      draft.plan.replicas.push_back({.campaign = contender.campaign->id, .cluster = candidate.cluster->id, .jobs = jobs, .kind = kind});
    }
  }
}

}  // namespace gleaner::planner
