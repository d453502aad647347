#pragma once
#include <vector>

#include "metascheduler/planner/candidate.hpp"

namespace gleaner::planner {

/// How long a job of a campaign takes on its clusters, where it is known and where it is not.
class ExpectedDurations {
 public:
  explicit ExpectedDurations(const Contender& contender) {
    for (const auto& candidate : contender.candidates) {
      if (!candidate.pair->mean_duration) continue;
      work_ += *candidate.pair->mean_duration * candidate.cluster->power;
      ++known_;
    }
  }

  /// Seconds: measured there; or what the clusters that are known suggest, by the configured powers;
  /// or, when none is known, 1 / power, in no unit.
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
