#pragma once
#include <vector>

#include "metascheduler/planner/candidate.hpp"

namespace gleaner::planner {

/// How long a job of a campaign takes on each of its clusters, measured or guessed.
class ExpectedDurations {
 public:
  explicit ExpectedDurations(const Contender& contender) {
    for (const auto& candidate : contender.candidates) {
      if (!candidate.pair->mean_duration) continue;
      work_ += *candidate.pair->mean_duration * candidate.cluster->power;
      ++known_;
    }
  }

  /// Seconds: measured there, or derived from the clusters where it was measured, by the configured powers. If it was measured nowhere:
  /// 1 / power, without a unit.
  [[nodiscard]] double on(const Candidate& candidate) const {
    if (candidate.pair->mean_duration) return *candidate.pair->mean_duration;
    const double power = candidate.cluster->power > 0.0 ? candidate.cluster->power : 1.0;
    return known_ > 0 ? work_ / known_ / power : 1.0 / power;
  }

  [[nodiscard]] bool any() const { return known_ > 0; }

 private:
  double work_ = 0.0;  ///< of one job, in seconds on a cluster of power 1
  int known_ = 0;
};

}  // namespace gleaner::planner
