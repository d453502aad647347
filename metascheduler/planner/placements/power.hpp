#pragma once
#include <algorithm>
#include <tuple>

#include "metascheduler/planner/placements/placement.hpp"

namespace gleaner::planner {

/// The order of the JDL, then the most powerful cluster by its configured power.
class Power final : public Placement {
 public:
  [[nodiscard]] std::string_view name() const override { return "power"; }
  void arrange(std::vector<Candidate>& candidates) const override {
    std::ranges::sort(candidates, {}, [](const Candidate& candidate) {
      return std::tuple{-std::int64_t{candidate.pair->priority}, -candidate.cluster->power, candidate.cluster->id};
    });
  }
};

}  // namespace gleaner::planner
