#pragma once
#include <algorithm>
#include <cmath>
#include <tuple>

#include "metascheduler/planner/placements/placement.hpp"
#include "metascheduler/planner/placements/speed.hpp"

namespace gleaner::planner {

/// The cluster whose resources do most tasks of the campaign: each holds its resources for a start and its duration, and again whenever it
/// is interrupted before its end. Source: document 003, step 3 (i), "job throughput to better select where to run the jobs".
class Throughput final : public Placement {
 public:
  [[nodiscard]] std::string_view name() const override { return "throughput"; }
  void arrange(const Contender& contender, std::vector<Candidate*>& candidates) const override {
    const ExpectedDurations durations{contender};
    const auto seconds = [&](const Candidate& candidate) {
      const auto duration = durations.on(candidate);
      return durations.any() ? held(duration, candidate, contender) : duration;
    };
    std::ranges::sort(candidates, {}, [&](const Candidate* candidate) { return std::tuple{seconds(*candidate), candidate->cluster->id}; });
  }

 private:
  /// Seconds for which a task that takes so long holds its resources there, until it is done. Interruptions come at a constant rate
  /// (e^(rate * seconds) - 1) / rate; a task with checkpoints loses only what follows the last one, which is not counted.
  static double held(double duration, const Candidate& candidate, const Contender& contender) {
    constexpr double kMostInterruptions = 20.0;
    const double once = duration + candidate.cluster->start_cost.value_or(0.0);
    const auto& pair = *candidate.pair;
    if (pair.interruptions <= 0 || !(pair.exposed_seconds > 0.0) || contender.campaign->checkpoint_cost) return once;
    const double rate = static_cast<double>(pair.interruptions) / pair.exposed_seconds;
    return std::expm1(std::min(rate * once, kMostInterruptions)) / rate;
  }
};

}  // namespace gleaner::planner
