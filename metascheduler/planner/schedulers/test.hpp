#pragma once
#include "metascheduler/planner/schedulers/scheduler.hpp"

namespace gleaner::planner {

/// One job on each cluster of the JDL, even on a full one, and never a second one. Source: document 003, "test scheduling".
class TestScheduler final : public CampaignScheduler {
 public:
  [[nodiscard]] std::string_view name() const override { return "test"; }
  [[nodiscard]] Room room() const override { return Room::not_needed; }
  [[nodiscard]] Sizing size(const Candidate& candidate, std::int64_t) const override {
    const auto& pair = *candidate.pair;
    // Its turn may come more than once in a plan.
    if (const int live = pair.live_jobs + candidate.jobs; live > 0 || pair.concluded_jobs > 0)
      return tl::unexpected{Reason{reason::TestAlreadyGiven{live, pair.concluded_jobs}}};
    if (pair.frozen_jobs > 0) return tl::unexpected{Reason{reason::Frozen{pair.frozen_jobs}}};
    return Cap{.kind = Cap::Kind::one_per_cluster, .jobs = 1};
  }
};

}  // namespace gleaner::planner
