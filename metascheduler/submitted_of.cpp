#include "metascheduler/submitted_of.hpp"

#include <algorithm>
#include <map>

#include "metascheduler/snapshot_of.hpp"

namespace gleaner::metascheduler {

std::vector<store::Submitted> submitted_of(const planner::Plan& plan, const grid::PlanningFacts& facts) {
  using Pair = std::pair<grid::CampaignId, grid::ClusterId>;
  std::map<Pair, const planner::Decision*> given;
  for (const auto& decision : plan.decisions) {
    if (decision.cluster && decision.jobs > 0) given.emplace(Pair{decision.campaign, *decision.cluster}, &decision);
  }
  std::vector<store::Submitted> submitted;
  for (const auto& pair : facts.pairs) {
    const auto found = given.empty() ? given.end() : given.find({pair.campaign, pair.cluster});
    if (found == given.end() && pair.last_submitted == 0) continue;
    const auto& cluster = *std::ranges::find(facts.clusters, pair.cluster, &grid::ClusterFacts::id);
    store::Submitted one{.campaign = pair.campaign, .cluster = pair.cluster, .first_ratio = ratio_of(pair, cluster)};
    if (found != given.end()) {
      one.jobs = found->second->jobs;
      one.offered = found->second->offered_free;
    }
    submitted.push_back(one);
  }
  return submitted;
}

std::optional<double> longer_than(const planner::Replicas& replicas, const grid::PlanningFacts& facts) {
  if (replicas.kind != planner::ReplicaKind::expired) return std::nullopt;
  for (const auto& tasks : facts.policies.replicable) {
    if (tasks.campaign == replicas.campaign && tasks.expected) return tasks.expected;
  }
  return std::nullopt;
}

}  // namespace gleaner::metascheduler
