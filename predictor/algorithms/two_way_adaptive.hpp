#pragma once
#include "predictor/algorithms/algorithm.hpp"
#include "predictor/algorithms/evidence.hpp"

namespace gleaner::prediction {

/// Moves the ratio in both directions to the jobs per resource that the last submission showed. Source: document 003, "Two-way Adaptative";
/// the numerator lost there is OLD_JR * OLD_FREE - EXCESS.
class TwoWayAdaptive final : public Algorithm {
 public:
  [[nodiscard]] std::string_view name() const override { return "two-way-adaptive"; }

 private:
  [[nodiscard]] double propose(double old, const LastCycle& last, const QueueState& queue) const override {
    switch (verdict(old, last, queue)) {
      case Verdict::too_big: return adaptive_down(old, last, queue);
      case Verdict::too_small: return adaptive_up(old, last, queue);
      case Verdict::unknown: break;
    }
    return old;
  }
};

}  // namespace gleaner::prediction
