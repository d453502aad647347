#pragma once
#include <optional>
#include <string>
#include <vector>

#include "lib/grid/planning_facts.hpp"
#include "lib/process/config.hpp"
#include "metascheduler/planner/plan.hpp"

namespace gleaner::metascheduler {

/// A campaign that gets no plan in this cycle, and the reason, in one sentence.
struct SetAside {
  grid::CampaignId campaign{0};
  std::string why;
  std::optional<grid::Instant> until = {};  ///< end of the brake that it has for this reason; nothing: it has none yet
};

/// A plan of all campaigns except those that cannot be planned.
struct Planned {
  planner::Plan plan;
  std::vector<SetAside> aside;  ///< also those whose row could not be read (PlanningFacts::unreadable)
};

/// Plans the campaigns of the facts. If that throws, the campaigns are halved until each one that cannot be planned is alone; these are
/// set aside, and the others get their plan. Throws if planning fails without any campaign too: a configuration may name no policy.
/// Cost: one plan, and 2 log2(campaigns) more for each campaign that is set aside.
[[nodiscard]] Planned plan_of(const grid::PlanningFacts& facts, const process::Config& config, grid::Instant now);

/// Removes a campaign from a plan. Its only decision is then `campaign_braked`, with the reason and the end of its brake.
void take_out(planner::Plan& plan, const SetAside& campaign);

}  // namespace gleaner::metascheduler
