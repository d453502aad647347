#pragma once
#include <optional>
#include <vector>

#include "metascheduler/planner/draft.hpp"
#include "metascheduler/planner/placements/placement.hpp"
#include "metascheduler/planner/prioritize.hpp"

namespace gleaner::planner {

/// The clusters of some turns.
struct Scope {
  AffinityClass affinity = AffinityClass::any;
  std::optional<double> speed = {};  ///< the turns are for the free cores of this speed, and for no queue; empty: for all resources

  [[nodiscard]] bool covers(const Candidate& candidate, const Placement& placement) const {
    return belongs(*candidate.pair, affinity) && (!speed || placement.speed(*candidate.cluster) == speed);
  }
};

/// The speeds of the clusters with free cores, the fastest first, without the slowest: only the turns for all resources are left for that.
/// Empty if the placement knows no speed that holds for all campaigns.
[[nodiscard]] std::vector<double> faster_speeds(const Placement& placement, const Draft& draft);

/// The members that are compatible with free cores of the scope's speed: a job of theirs may start there, and they have no cluster with
/// free resources that they prefer (preference_of). Cost: O(their pairs).
[[nodiscard]] std::vector<std::size_t> compatible(const std::vector<std::size_t>& members, const Scope& scope, const Placement& placement,
                                                  const std::vector<Contender>& contenders, const Draft& draft);

/// Leaves the candidates whose jobs would start at once, and limits their offers to what is free.
void keep_free_cores(std::vector<Candidate*>& candidates);

}  // namespace gleaner::planner
