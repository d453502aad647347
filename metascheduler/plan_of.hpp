#pragma once
#include <optional>
#include <string>
#include <vector>

#include "lib/grid/planning_facts.hpp"
#include "lib/process/config.hpp"
#include "metascheduler/planner/plan.hpp"

namespace gleaner::metascheduler {

/// A campaign that gets no plan in this cycle, and why: one sentence.
struct SetAside {
  grid::CampaignId campaign{0};
  std::string why;
  std::optional<grid::Instant> until = {};  ///< end of the brake that it has got for that; nothing: it has none yet
};

/// A plan of all campaigns but those that cannot be planned.
struct Planned {
  planner::Plan plan;
  std::vector<SetAside> aside;  ///< also those whose row could not be read (PlanningFacts::unreadable)
};

/// Plans the campaigns of the facts. When that throws, the campaigns are halved until each one that cannot be planned is alone; these
/// are set aside, and the others get their plan. What fails without any campaign too, such as a configuration that names no policy, is thrown.
/// Cost: one plan, and 2 log2(campaigns) more for each campaign that is set aside.
[[nodiscard]] Planned plan_of(const grid::PlanningFacts& facts, const process::Config& config, grid::Instant now);

/// Takes what a plan holds for a campaign out of it; its one decision from then on is that it is stopped, why, and until when.
void take_out(planner::Plan& plan, const SetAside& campaign);

}  // namespace gleaner::metascheduler
