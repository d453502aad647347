#include "metascheduler/planner/stages.hpp"

#include <algorithm>
#include <cmath>

namespace gleaner::planner {
namespace {

/// In quarters, so that the policy decides where standings differ little.
int standing_of(const PairView& pair) { return static_cast<int>(std::ceil(std::clamp(pair.standing, 0.0, 1.0) * 4.0)); }

}  // namespace

Preference preference_of(const PairView& pair) {
  return {!grid::lacks_inputs(pair), pair.priority, -static_cast<int>(pair.memory_fit), standing_of(pair)};
}

void allocate(const Placement& placement, const Contender& contender, std::vector<Candidate*>& candidates) {
  if (candidates.size() < 2) return;
  placement.arrange(contender, candidates);
  // Tasks wait for input files only where no cluster that has them can take more. Memory that was measured is weaker than the JDL's
  // priorities, and stronger than the policy.
  std::ranges::stable_sort(candidates, std::greater{}, [](const Candidate* candidate) { return preference_of(*candidate->pair); });
}

}  // namespace gleaner::planner
