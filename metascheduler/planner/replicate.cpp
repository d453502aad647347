#include <algorithm>
#include <cmath>
#include <tuple>

#include "lib/grid/dust.hpp"
#include "metascheduler/planner/room.hpp"
#include "metascheduler/planner/stages.hpp"

namespace gleaner::planner {
namespace {

using grid::kDust;

/// Replicas on another node that one pass gives: each is a launch of its own, as it avoids the nodes of one job.
constexpr int kMostBeside = 16;

bool may_replicate(const CampaignView& campaign, ReplicaKind kind) {
  return campaign.replicas_allowed && campaign.state == grid::CampaignState::in_treatment && !campaign.brake &&
         (campaign.waiting_tasks == 0 || kind == ReplicaKind::expired) && campaign.type != grid::CampaignType::test;
}

/// Replicas that a pair got in this plan.
int replicas_of(const PairView& pair, const Plan& plan) {
  int jobs = 0;
  for (const auto& replicas : plan.replicas) {
    if (replicas.campaign == pair.campaign && replicas.cluster == pair.cluster) jobs += replicas.jobs;
  }
  return jobs;
}

std::vector<Contender> replicable(ReplicaKind kind, const Draft& draft) {
  std::vector<Contender> found;
  for (const auto& campaign : draft.snapshot.campaigns) {
    if (may_replicate(campaign, kind)) found.push_back({.campaign = &campaign});
  }
  if (found.empty()) return found;
  for (const auto& pair : draft.snapshot.pairs) {
    const auto contender = std::ranges::find(found, pair.campaign, [](const Contender& one) { return one.campaign->id; });
    if (contender == found.end()) continue;
    const auto cluster = std::ranges::find(draft.snapshot.clusters, pair.cluster, &ClusterView::id);
    if (cluster == draft.snapshot.clusters.end()) continue;
    auto candidate = candidate_of(pair, *cluster, static_cast<std::size_t>(cluster - draft.snapshot.clusters.begin()));
    candidate.replicas = replicas_of(pair, draft.plan);
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
  const auto offer = draft.ledger.left(candidate.cluster_index, pair);
  const double each = job_resources(pair, *candidate.cluster);
  const int free = static_cast<int>(std::floor(offer.free / each + kDust));
  return std::min({free, candidate.allowed.jobs, std::max(1, candidate.cluster->array_size)});
}

/// Whether the cluster has room for a job of the pair besides the node on which another one runs.
bool has_other_nodes(const Candidate& candidate) {
  const auto& cluster = *candidate.cluster;
  return cluster.max_node_resources > 0 &&
         cluster.max_resources - cluster.max_node_resources + kDust >= job_resources(*candidate.pair, cluster);
}

/// Whether a replica may go there. A task that runs elsewhere needs its own files, and a cluster that does not have all may lack these.
bool may_go_there(const Contender& contender, const Candidate& candidate) {
  return !candidate.pair->missing_inputs && !why_not(*contender.campaign, *candidate.cluster, *candidate.pair);
}

/// Where the replicas of a contender's tasks go: other_node if a single one of its clusters can get any.
ReplicaPlace place_of(const Contender& contender) {
  const auto usable =
      std::ranges::count_if(contender.candidates, [&](const Candidate& candidate) { return may_go_there(contender, candidate); });
  return usable == 1 ? ReplicaPlace::other_node : ReplicaPlace::other_cluster;
}

/// Tasks of a contender that may get a replica on a cluster.
int wanted_on(const Candidate& candidate, ReplicaKind kind, ReplicaPlace place, int all) {
  const int own = std::min(all, count(*candidate.pair, kind));
  if (place == ReplicaPlace::other_cluster) return all - own;
  return has_other_nodes(candidate) ? std::min(own, kMostBeside) : 0;
}

/// Gives the replicas of one place. @return those that are still wanted
int give_replicas(ReplicaKind kind, ReplicaPlace place, Contender& contender, int all, Draft& draft) {
  for (auto& candidate : contender.candidates) {
    const int wanted = wanted_on(candidate, kind, place, all);
    if (wanted <= 0 || !may_go_there(contender, candidate)) continue;
    const int jobs = std::min(room_of(contender, candidate, draft), wanted);
    if (jobs <= 0) continue;
    all -= jobs;
    const double resources = jobs * job_resources(*candidate.pair, *candidate.cluster);
    draft.ledger.take(candidate.cluster_index, *candidate.pair, candidate.pair->walltime, jobs, resources);
    draft.limits.take(contender, candidate, jobs, 0);
    draft.file_servers.take(*contender.campaign, candidate, jobs);
    for (int left = jobs; left > 0; left -= array_size_of(candidate)) {
      draft.plan.replicas.push_back({.campaign = contender.campaign->id,
                                     .cluster = candidate.cluster->id,
                                     .jobs = std::min(left, array_size_of(candidate)),
                                     .kind = kind,
                                     .place = place});
    }
    candidate.replicas += jobs;
  }
  return all;
}

}  // namespace

void replicate(ReplicaKind kind, std::vector<Contender>& contenders, Draft& draft) {
  for (auto& contender : replicable(kind, draft)) {
    int all = 0;
    for (const auto& candidate : contender.candidates) all += count(*candidate.pair, kind);
    // The only cluster of a campaign may be another one than that of some tasks, because theirs is disabled or braked.
    all = give_replicas(kind, ReplicaPlace::other_cluster, contender, all, draft);
    if (all > 0 && place_of(contender) == ReplicaPlace::other_node)
      (void)give_replicas(kind, ReplicaPlace::other_node, contender, all, draft);
  }
  if (draft.plan.replicas.empty()) return;
  for (auto& contender : contenders) {
    for (auto& candidate : contender.candidates) candidate.replicas = replicas_of(*candidate.pair, draft.plan);
  }
}

}  // namespace gleaner::planner
