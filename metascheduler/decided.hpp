#pragma once
#include <map>
#include <vector>

#include "lib/store/planning.hpp"
#include "metascheduler/planner/plan.hpp"

namespace gleaner::metascheduler {

/// What a plan decided, by campaign. Most of it repeats the last cycle: a digest of the figures tells so, and only what changed is put
/// into words. It keeps references to the plan and the facts.
class Decided {
 public:
  Decided(const planner::Plan& plan, const grid::PlanningFacts& facts);

  [[nodiscard]] std::vector<store::CampaignDigest> digests() const;
  [[nodiscard]] std::vector<store::StoredDecision> tell(grid::CampaignId campaign) const;

 private:
  struct OnCampaign {
    std::uint64_t digest = 0;
    std::vector<const planner::Decision*> decisions;
    std::vector<const planner::Standing*> standings;
  };
  planner::ClusterNames names_;
  std::map<grid::CampaignId, OnCampaign> campaigns_;
};

}  // namespace gleaner::metascheduler
