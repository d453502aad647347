#include "metascheduler/submitted_of.hpp"

#include <map>

#include "metascheduler/snapshot_of.hpp"

namespace gleaner::metascheduler {

std::vector<store::Submitted> submitted_of(const planner::Plan& plan, const store::PlanningFacts& facts) {
  using PairKey = std::pair<grid::CampaignId, grid::ClusterId>;
  std::map<PairKey, double> ratios;
  for (const auto& pair : facts.pairs) ratios.emplace(PairKey{pair.campaign, pair.cluster}, ratio_of(pair));
  std::vector<store::Submitted> submitted;
  for (const auto& decision : plan.decisions) {
    if (!decision.cluster || decision.jobs == 0) continue;
    submitted.push_back({.campaign = decision.campaign,
                         .cluster = *decision.cluster,
                         .jobs = decision.jobs,
                         .offered = decision.figures.offered_free,
                         .first_ratio = ratios.at({decision.campaign, *decision.cluster})});
  }
  return submitted;
}

std::optional<double> longer_than(const planner::Replicas& replicas, const store::PlanningFacts& facts) {
  if (replicas.kind != planner::ReplicaKind::expired) return std::nullopt;
  for (const auto& tasks : facts.replicable) {
    if (tasks.campaign == replicas.campaign && tasks.expected) return tasks.expected;
  }
  return std::nullopt;
}

}  // namespace gleaner::metascheduler
