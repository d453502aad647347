#include "metascheduler/planner/stages.hpp"

#include <algorithm>

namespace gleaner::planner {

int array_size_of(const Candidate& candidate) {
  return std::max(1, std::min(candidate.cluster->array_size, candidate.pair->array_most.value_or(kNoLimit)));
}

void emit(Draft& draft) {
  for (const auto* candidate : draft.served) {
    const int array_size = array_size_of(*candidate);
    int returned = candidate->returned;
    int pooled = candidate->pooled;
    for (int left = candidate->jobs; left > 0; left -= array_size) {
      const int jobs = std::min(left, array_size);
      const int first = std::min(returned, jobs);
      returned -= first;
      const int share = static_cast<int>(std::int64_t{pooled} * jobs / left);
      pooled -= share;
      draft.plan.launches.push_back({.campaign = candidate->pair->campaign,
                                     .cluster = candidate->cluster->id,
                                     .jobs = jobs,
                                     .resources = candidate->resources * jobs / candidate->jobs,
                                     .returned = first,
                                     .pooled = share});
    }
  }
}

}  // namespace gleaner::planner
