#pragma once
#include <algorithm>
#include <tuple>

#include "metascheduler/planner/placements/placement.hpp"
#include "metascheduler/planner/placements/speed.hpp"

namespace gleaner::planner {

/// The cluster on which a job is expected to end first, with the transfer of its input: input / bandwidth + duration there. If a cluster
/// has no configured bandwidth, its transfer is assumed to take the mean of those to the campaign's other clusters. Source: document 003,
/// "File transfer of input data per job".
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
  /// Seconds, of the clusters whose bandwidth is known; 0 if none is.
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
