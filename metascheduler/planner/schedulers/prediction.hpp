#pragma once
#include "metascheduler/planner/schedulers/workqueue.hpp"

namespace gleaner::planner {

/// A few jobs on each cluster first (PlannerConfig::probe_jobs), to learn their duration, resources
/// and failures; then like the workqueue. A campaign whose user and command are known from an
/// earlier one needs no such jobs. Source: spec/003, "Scheduling modes" and "Fairsharing".
class Prediction final : public Workqueue {
 public:
  [[nodiscard]] std::string_view name() const override { return "prediction"; }
  [[nodiscard]] bool probes(const CampaignView& campaign, const PairView& pair) const override {
    return !campaign.profiled && pair.concluded_jobs == 0;
  }
};

}  // namespace gleaner::planner
