#pragma once
#include <algorithm>
#include <span>
#include <vector>

#include "lib/grid/id.hpp"

namespace gleaner::grid {

/// Jobs of a campaign that failed on a cluster since a job of any campaign was done there. Tasks that failed before are among them.
struct FailedSince {
  CampaignId campaign{0};
  int jobs = 0;
};

/// The campaigns of a cluster where everything fails: at least `least` jobs of each of two campaigns or more, and none was done in between.
/// A campaign alone may have nothing left but tasks that always fail; on a cluster in order, another one's tasks are done meanwhile.
[[nodiscard]] inline std::vector<FailedSince> where_all_fails(std::span<const FailedSince> all, int least) {
  std::vector<FailedSince> many;
  std::ranges::copy_if(all, std::back_inserter(many), [&](const FailedSince& one) { return one.jobs >= least; });
  if (many.size() < 2) many.clear();
  return many;
}

}  // namespace gleaner::grid
