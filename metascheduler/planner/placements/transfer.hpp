#pragma once
#include <algorithm>
#include <tuple>

#include "metascheduler/planner/placements/placement.hpp"
#include "metascheduler/planner/placements/speed.hpp"

namespace gleaner::planner {

/// The cluster on which a job is expected to end first, the transfer of its input counted: input /
/// bandwidth + duration there. Source: spec/003, "File transfer of input data per job".
class Transfer final : public Placement {
 public:
  [[nodiscard]] std::string_view name() const override { return "transfer"; }
  void arrange(const Contender& contender, std::vector<Candidate*>& candidates) const override {
    const ExpectedDurations durations{contender};
    const double input_mb = contender.campaign->input_mb;
    std::ranges::sort(candidates, {}, [&](const Candidate* candidate) {
      const double bandwidth = candidate->cluster->transfer_mb_s;
      const double transfer = bandwidth > 0.0 ? input_mb / bandwidth : 0.0;
      // Until a duration is known, only the transfer can be weighed, then the power.
      return std::tuple{durations.any() ? transfer + durations.on(*candidate) : transfer, durations.on(*candidate), candidate->cluster->id};
    });
  }
};

}  // namespace gleaner::planner
