#pragma once
#include <map>
#include <vector>

#include "lib/store/planning.hpp"
#include "metascheduler/planner/config.hpp"
#include "metascheduler/planner/plan.hpp"

namespace gleaner::metascheduler {

/// The decisions of a plan, by campaign. Most of them repeat the last cycle: their digest shows it, and only those of campaigns whose
/// digest changed are stored anew, by their figures; sentences are rendered when they are read. Keeps references to the plan.
class Decided {
 public:
  explicit Decided(const planner::Plan& plan);

  [[nodiscard]] std::vector<store::CampaignDigest> digests() const;
  [[nodiscard]] std::vector<store::StoredDecision> rows(grid::CampaignId campaign) const;

 private:
  struct OnCampaign {
    std::uint64_t digest = 0;
    std::vector<const planner::Decision*> decisions;
    std::vector<const planner::Standing*> standings;
  };
  std::map<grid::CampaignId, OnCampaign> campaigns_;
};

/// The order of a plan's campaigns, as it is stored.
[[nodiscard]] store::StoredOrder stored_order(const planner::Plan& plan, const planner::PlannerConfig& config);

}  // namespace gleaner::metascheduler
