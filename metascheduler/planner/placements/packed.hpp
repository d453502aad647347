#pragma once
#include <algorithm>
#include <tuple>

#include "metascheduler/planner/placements/placement.hpp"

namespace gleaner::planner {

/// The clusters in use first, of these the one with the fewest free resources that still fit a job, so that the others empty; then the
/// cheapest that is not in use. Source: document 000,
/// `fit_jobs` and `allocate_new_instances`.
class Packed final : public Placement {
 public:
  [[nodiscard]] std::string_view name() const override { return "packed"; }
  void arrange(const Contender&, std::vector<Candidate*>& candidates) const override {
    std::ranges::sort(candidates, {}, [](const Candidate* candidate) {
      const bool opens = candidate->cluster->our_jobs == 0 && candidate->offer.free >= candidate->cluster->free_resources;
      const double first = opens ? candidate->cluster->cost : candidate->offer.free;
      return std::tuple{opens, first, candidate->offer.free, candidate->cluster->id};
    });
  }
};

}  // namespace gleaner::planner
