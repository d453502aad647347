#pragma once
#include "predictor/algorithms/algorithm.hpp"
#include "predictor/algorithms/evidence.hpp"

namespace gleaner::prediction {

/// Doubles the ratio while nothing waits; as soon as too much waits, falls to one job on the whole cluster. For clusters that are shared
/// with others. Source: document 003, "Slow-start".
class SlowStart final : public Algorithm {
 public:
  [[nodiscard]] std::string_view name() const override { return "slow-start"; }

 private:
  [[nodiscard]] double propose(double old, const LastCycle& last, const QueueState& queue) const override {
    switch (verdict(old, last, queue)) {
      case Verdict::too_big: return 0.0;  // the lower bound is 1 / max_resources
      case Verdict::too_small: return exponential_up(old);
      case Verdict::unknown: break;
    }
    return old;
  }
};

}  // namespace gleaner::prediction
