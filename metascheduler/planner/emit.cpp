#include "metascheduler/planner/emit.hpp"

#include <algorithm>

namespace gleaner::planner {

void emit(std::vector<Share> shares, Plan& plan) {
  for (auto& share : shares) {
    const auto& pair = *share.candidate.pair;
    const int array_size = std::max(1, share.candidate.cluster->array_size);
    int returned = share.returned;
    for (int left = share.jobs; left > 0; left -= array_size) {
      const int jobs = std::min(left, array_size);
      const int first = std::min(returned, jobs);
      returned -= first;
      plan.launches.push_back({.campaign = pair.campaign,
                               .cluster = pair.cluster,
                               .jobs = jobs,
                               .resources = share.resources * jobs / share.jobs,
                               .returned = first});
    }
    plan.decisions.push_back({.campaign = pair.campaign,
                              .cluster = pair.cluster,
                              .stage = Stage::emit,
                              .reason = Reason::launched,
                              .jobs = share.jobs,
                              .figures = std::move(share.figures)});
  }
}

}  // namespace gleaner::planner
