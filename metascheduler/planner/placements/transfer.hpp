#pragma once
#include <algorithm>
#include <tuple>

#include "metascheduler/planner/placements/placement.hpp"
#include "metascheduler/planner/placements/speed.hpp"

namespace gleaner::planner {

/// The cluster on which a job is expected to end first, the transfer of its input counted: input /
/// bandwidth + duration there. Where no bandwidth is configured, a transfer takes the mean of what it takes on the
/// campaign's other clusters: nothing is known for it, and nothing against it. Source: spec/003, "File transfer of input
/// data per job".
class Transfer final : public Placement {
 public:
  [[nodiscard]] std::string_view name() const override { return "transfer"; }
  void arrange(const Contender& contender, std::vector<Candidate*>& candidates) const override {
    const ExpectedDurations durations{contender};
    const double input_mb = contender.campaign->input_mb;
    const double unknown = mean_transfer(contender, input_mb);
    std::ranges::sort(candidates, {}, [&](const Candidate* candidate) {
      const double bandwidth = candidate->cluster->transfer_mb_s;
      const double transfer = bandwidth > 0.0 ? input_mb / bandwidth : unknown;
      // Until a duration is known, only the transfer can be weighed, then the power.
      return std::tuple{durations.any() ? transfer + durations.on(*candidate) : transfer, durations.on(*candidate), candidate->cluster->id};
    });
  }

 private:
  /// Seconds, on the clusters whose bandwidth is known; 0 when it is known of none, and all are equal.
  static double mean_transfer(const Contender& contender, double input_mb) {
    double seconds = 0.0;
    int known = 0;
    for (const auto& candidate : contender.candidates) {
      if (candidate.cluster->transfer_mb_s <= 0.0) continue;
      seconds += input_mb / candidate.cluster->transfer_mb_s;
      ++known;
    }
    return known > 0 ? seconds / known : 0.0;
  }
};

}  // namespace gleaner::planner
