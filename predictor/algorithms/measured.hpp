#pragma once
#include "predictor/algorithms/algorithm.hpp"

namespace gleaner::prediction {

/// What OAR really gave: one job in the mean of the resources assigned to the jobs that ran. The old
/// ratio, which is at first the JDL's, until one has run. Source: spec/README, "measured".
class Measured final : public Algorithm {
 public:
  [[nodiscard]] std::string_view name() const override { return "measured"; }

 private:
  [[nodiscard]] double propose(double old, const LastCycle&, const QueueState& queue) const override {
    if (!queue.assigned_resources || !(*queue.assigned_resources > 0.0)) return old;
    return 1.0 / *queue.assigned_resources;
  }
};

}  // namespace gleaner::prediction
