#pragma once
#include <algorithm>
#include <tuple>

#include "metascheduler/planner/placements/placement.hpp"

namespace gleaner::planner {

/// Distributes the tasks among all clusters, in proportion to their room, the emptiest first.
class Balanced final : public Placement {
 public:
  [[nodiscard]] std::string_view name() const override { return "balanced"; }
  [[nodiscard]] Distribution distribution() const override { return Distribution::round_robin; }
  void arrange(const Contender&, std::vector<Candidate*>& candidates) const override {
    std::ranges::sort(candidates, {}, [](const Candidate* candidate) {
      return std::tuple{-candidate->offer.free / std::max(1, candidate->cluster->max_resources), candidate->cluster->id};
    });
  }
};

}  // namespace gleaner::planner
