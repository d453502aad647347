#include "metascheduler/planner/replicate.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>

#include "lib/grid/dust.hpp"
#include "metascheduler/planner/feasible.hpp"
#include "metascheduler/planner/room.hpp"

namespace gleaner::planner {
namespace {

using grid::kDust;

bool may_replicate(const CampaignView& campaign) {
  return campaign.replicas_allowed && campaign.state == grid::CampaignState::in_treatment && !campaign.brake &&
         campaign.waiting_tasks == 0 && campaign.type != grid::CampaignType::test;
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
    contender->candidates.push_back(
        candidate_of(pair, *cluster, static_cast<std::size_t>(cluster - draft.snapshot.clusters.begin())));
  }
  for (auto& contender : found) {
    contender.limits = draft.limits.holding(*contender.campaign);
    std::ranges::sort(contender.candidates, {}, [](const Candidate& candidate) {
      return std::tuple{-candidate.cluster->power, candidate.cluster->id};
    });
  }
  std::ranges::sort(found, {}, [](const Contender& one) { return std::tuple{one.campaign->priority, one.campaign->submitted, one.campaign->id}; });
  return found;
}

int count(const PairView& pair, ReplicaKind kind) { return kind == ReplicaKind::expired ? pair.expired_tasks : pair.replicable_tasks; }

/// Jobs that the free resources of a cluster take, and that all limits let live there.
int room_of(const Contender& contender, const Candidate& candidate, const Draft& draft) {
  const auto& pair = *candidate.pair;
  const auto offer = draft.ledger.left(candidate.cluster_index, pair.campaign, pair.walltime);
  const double each = job_resources(pair, *candidate.cluster);
  int jobs = static_cast<int>(std::floor(offer.free / each + kDust));
  if (pair.max_jobs) jobs = std::min(jobs, *pair.max_jobs - pair.live_jobs - pair.frozen_jobs);
  if (const auto limit = candidate.cluster->job_limit)
    jobs = std::min(jobs, *limit - candidate.cluster->our_jobs - draft.ledger.jobs_given(candidate.cluster_index));
  return std::min(jobs, draft.limits.left(contender, candidate).jobs);
}

}  // namespace

void replicate(ReplicaKind kind, Draft& draft) {
  for (auto& contender : replicable(draft)) {
    int all = 0;
    for (const auto& candidate : contender.candidates) all += count(*candidate.pair, kind);
    for (auto& candidate : contender.candidates) {
      if (why_not(*contender.campaign, *candidate.cluster, *candidate.pair)) continue;
      const int elsewhere = all - std::min(all, count(*candidate.pair, kind));
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
