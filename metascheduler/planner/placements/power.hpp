#pragma once
#include <algorithm>
#include <optional>
#include <tuple>

#include "metascheduler/planner/placements/placement.hpp"

namespace gleaner::planner {

/// The most powerful cluster first, by its configured power. Source: document 002, "Resource Listing".
class Power final : public Placement {
 public:
  [[nodiscard]] std::string_view name() const override { return "power"; }
  [[nodiscard]] std::optional<double> speed(const ClusterView& cluster) const override { return cluster.power; }
  void arrange(const Contender&, std::vector<Candidate*>& candidates) const override {
    std::ranges::sort(candidates, {}, [](const Candidate* candidate) {
      return std::tuple{-candidate->cluster->power, candidate->cluster->id};
    });
  }
};

}  // namespace gleaner::planner
