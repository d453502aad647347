#pragma once
#include "predictor/algorithms/algorithm.hpp"
#include "predictor/algorithms/evidence.hpp"

namespace gleaner::prediction {

/// Doubles the ratio while nothing waits, and lowers it to the jobs per resource that were observed. For many short jobs. Source: document
/// 003, "Adaptative-down, exponential-up".
class AdaptiveDownExponentialUp final : public Algorithm {
 public:
  [[nodiscard]] std::string_view name() const override { return "adaptive-down-exponential-up"; }

 private:
  [[nodiscard]] double propose(double old, const LastCycle& last, const QueueState& queue) const override {
    switch (verdict(old, last, queue)) {
      case Verdict::too_big: return adaptive_down(old, last, queue);
      case Verdict::too_small: return exponential_up(old);
      case Verdict::unknown: break;
    }
    return old;
  }
};

}  // namespace gleaner::prediction
