#pragma once
#include <algorithm>
#include <tuple>

#include "metascheduler/planner/placements/placement.hpp"
#include "metascheduler/planner/placements/speed.hpp"

namespace gleaner::planner {

/// The cluster on which the campaign's jobs take the least time, by the jobs that ended; if none did, by the configured power. Source:
/// document 002, "Resource Listing".
class Fastest final : public Placement {
 public:
  [[nodiscard]] std::string_view name() const override { return "fastest"; }
  void arrange(const Contender& contender, std::vector<Candidate*>& candidates) const override {
    const ExpectedDurations durations{contender};
    std::ranges::sort(candidates, {}, [&](const Candidate* candidate) {
      return std::tuple{durations.on(*candidate), candidate->cluster->id};
    });
  }
};

}  // namespace gleaner::planner
