#pragma once
#include <algorithm>

#include "predictor/algorithms/algorithm.hpp"

namespace gleaner::prediction {

/// One job per mean number of resources that OAR assigned to the jobs that ran, times the jobs that these carry out until the next plan.
/// Until one has run, the old ratio stays, which is first the JDL's. Source: CiGri's production code (docs/sources.md); document 003, "if
/// jobs walltime are short, the algorithm increases the job flow".
class Measured final : public Algorithm {
 public:
  [[nodiscard]] std::string_view name() const override { return "measured"; }

 private:
  [[nodiscard]] double propose(double old, const LastCycle&, const QueueState& queue) const override {
    if (!queue.assigned_resources || !(*queue.assigned_resources > 0.0)) return old;
    return std::max(1.0, queue.jobs_a_cycle) / *queue.assigned_resources;
  }
};

}  // namespace gleaner::prediction
