#pragma once
#include "predictor/algorithms/algorithm.hpp"
#include "predictor/algorithms/evidence.hpp"

namespace gleaner::prediction {

/// Goes up and down to what the last submission shows that the resources take. Source: spec/003,
/// "Two-way Adaptative"; the numerator lost there is OLD_JR * OLD_FREE - EXCESS.
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
