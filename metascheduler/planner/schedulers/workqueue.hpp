#pragma once
#include <algorithm>

#include "metascheduler/planner/schedulers/scheduler.hpp"

namespace gleaner::planner {

/// As many jobs as fill the offer. Source: document 003, "workqueue scheduling".
class Workqueue : public CampaignScheduler {
 public:
  [[nodiscard]] std::string_view name() const override { return "workqueue"; }
  [[nodiscard]] Sizing size(const Candidate& candidate, std::int64_t tasks) const override {
    const Cap offer{.kind = Cap::Kind::offer, .jobs = candidate.room};
    const Cap bag{.kind = Cap::Kind::bag, .jobs = static_cast<int>(std::min<std::int64_t>(tasks, kNoLimit))};
    return std::min({offer, candidate.allowed, bag}, [](const Cap& one, const Cap& other) { return one.jobs < other.jobs; });
  }
};

}  // namespace gleaner::planner
