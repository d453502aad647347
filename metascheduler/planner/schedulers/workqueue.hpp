#pragma once
#include <algorithm>

#include "metascheduler/planner/schedulers/scheduler.hpp"

namespace gleaner::planner {

/// As many jobs as fill the offer. Source: spec/003, "workqueue scheduling".
class Workqueue : public CampaignScheduler {
 public:
  [[nodiscard]] std::string_view name() const override { return "workqueue"; }
  [[nodiscard]] Sizing size(const Candidate& candidate, std::int64_t tasks) const override {
    const auto most = std::min(candidate.room, candidate.allowed_jobs);
    if (tasks < most) return {.jobs = static_cast<int>(tasks), .limit = Limit::bag};
    return {.jobs = most, .limit = candidate.allowed_jobs < candidate.room ? candidate.bound : Limit::offer};
  }
};

}  // namespace gleaner::planner
