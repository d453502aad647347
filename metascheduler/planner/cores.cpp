#include "metascheduler/planner/cores.hpp"

#include <algorithm>
#include <functional>

#include "metascheduler/planner/room.hpp"
#include "metascheduler/planner/stages.hpp"

namespace gleaner::planner {
namespace {

bool has_free_room(const Candidate& candidate, const Draft& draft) {
  if (candidate.closed) return false;
  const double free = draft.ledger.left(candidate.cluster_index, *candidate.pair).free;
  return room_for(candidate, {.resources = free, .free = free}) > 0;
}

bool is_compatible(const Contender& contender, const Scope& scope, const Placement& placement, const Draft& draft) {
  std::optional<Preference> best;
  for (const auto& candidate : contender.candidates) {
    if (!scope.covers(candidate, placement) || grid::lacks_inputs(*candidate.pair) || !has_free_room(candidate, draft)) continue;
    best = std::max(best.value_or(preference_of(*candidate.pair)), preference_of(*candidate.pair));
  }
  return best && std::ranges::none_of(contender.candidates, [&](const Candidate& candidate) {
           return belongs(*candidate.pair, scope.affinity) && preference_of(*candidate.pair) > *best && has_free_room(candidate, draft);
         });
}

}  // namespace

std::vector<double> faster_speeds(const Placement& placement, const Draft& draft) {
  std::vector<double> speeds;
  for (std::size_t i = 0; i < draft.snapshot.clusters.size(); ++i) {
    const auto speed = placement.speed(draft.snapshot.clusters[i]);
    if (!speed) return {};
    if (draft.ledger.at_first(i).free - draft.ledger.taken(i) >= 1.0) speeds.push_back(*speed);
  }
  std::ranges::sort(speeds, std::greater{});
  speeds.erase(std::ranges::unique(speeds).begin(), speeds.end());
  if (!speeds.empty()) speeds.pop_back();
  return speeds;
}

std::vector<std::size_t> compatible(const std::vector<std::size_t>& members, const Scope& scope, const Placement& placement,
                                    const std::vector<Contender>& contenders, const Draft& draft) {
  std::vector<std::size_t> compatible;
  std::ranges::copy_if(members, std::back_inserter(compatible),
                       [&](std::size_t member) { return is_compatible(contenders[member], scope, placement, draft); });
  return compatible;
}

void keep_free_cores(std::vector<Candidate*>& candidates) {
  std::erase_if(candidates, [](Candidate* candidate) {
    candidate->offer.resources = candidate->offer.free;
    candidate->room = room_for(*candidate, candidate->offer);
    return candidate->room == 0 || grid::lacks_inputs(*candidate->pair);
  });
}

}  // namespace gleaner::planner
