#pragma once
#include <algorithm>
#include <cmath>

#include "predictor/algorithms/algorithm.hpp"
#include "predictor/algorithms/evidence.hpp"

namespace gleaner::prediction {

/// Feedback control of the submitted jobs, by the waiting queue and the free resources. The error is taken in the logarithm of the ratio,
/// so that the correction integrates over the cycles and the ratio keeps its sign. If the ratio is too small, the error is the fraction of
/// the offered resources that stayed free, so the steps shrink near the fixed point. If it is too big, it is corrected in one step, because
/// jobs beyond the flood cannot be taken back gradually. Source: Guilloteau and others, ICSTCC 2021 (docs/sources.md).
class Control final : public Algorithm {
 public:
  [[nodiscard]] std::string_view name() const override { return "control"; }

 private:
  [[nodiscard]] double propose(double old, const LastCycle& last, const QueueState& queue) const override {
    constexpr double kGain = 1.0;
    switch (verdict(old, last, queue)) {
      case Verdict::too_big: return adaptive_down(old, last, queue);
      case Verdict::too_small: return old * std::exp(kGain * std::clamp(queue.free_resources / std::max(1.0, last.free_offered), 0.0, 1.0));
      case Verdict::unknown: break;
    }
    return old;
  }
};

}  // namespace gleaner::prediction
