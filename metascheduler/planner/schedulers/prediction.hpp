#pragma once
#include "metascheduler/planner/schedulers/workqueue.hpp"

namespace gleaner::planner {

/// A probe on each cluster first (PlannerConfig::probe_jobs), to learn the duration, resources and failures of jobs; then like the
/// workqueue. A profiled campaign needs no probe. Source: document 003, "Scheduling modes" and "Fairsharing".
class Prediction final : public Workqueue {
 public:
  [[nodiscard]] std::string_view name() const override { return "prediction"; }
  [[nodiscard]] bool probes(const CampaignView& campaign, const PairView& pair) const override {
    return !campaign.profiled && pair.concluded_jobs == 0;
  }
};

}  // namespace gleaner::planner
