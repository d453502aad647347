#pragma once
#include <vector>

#include "metascheduler/planner/candidate.hpp"
#include "metascheduler/planner/ledger.hpp"
#include "metascheduler/planner/limits.hpp"
#include "metascheduler/planner/plan.hpp"

namespace gleaner::planner {

/// A plan while it is made.
struct Draft {
  const Snapshot& snapshot;
  const PlannerConfig& config;
  Ledger ledger;
  Limits limits;
  Plan plan = {};
  std::vector<Candidate*> served = {};  ///< that got jobs, in the order of their first ones

  Draft(const Snapshot& of, const PlannerConfig& by) : snapshot{of}, config{by}, ledger{of.clusters}, limits{of.limits} {}
};

[[nodiscard]] OfferParts parts_of(const ClusterView& cluster);

/// The reason of a candidate whose resources were taken by earlier campaigns.
[[nodiscard]] Reason earlier_campaigns(const Candidate& candidate, const Ledger& ledger);

/// The reason of a candidate that a cap allows no job.
[[nodiscard]] Reason reason_of(const Cap& cap, const Candidate& candidate, const Draft& draft);

/// What a cap says of the jobs that it allows a candidate.
[[nodiscard]] Bound bound_of(const Cap& cap, const Candidate& candidate, const Limits& limits);

/// Notes why a stage stops a candidate: the decision on the pair, unless jobs were given before.
void note_stop(Plan& plan, Candidate& candidate, Stage stage, Reason reason);

/// Notes what was given to a candidate, and why it was not more: the decision on the pair.
void note_given(Plan& plan, Candidate& candidate, Bound bound);

/// Drops the candidates of a turn for which `test` returns a reason, and notes it. A candidate stopped by `size` may be retried in the
/// next turn; one stopped by another stage is closed for this plan.
template <class Test>
void filter(Stage stage, Plan& plan, std::vector<Candidate*>& candidates, Test test) {
  std::erase_if(candidates, [&](Candidate* candidate) {
    std::optional<Reason> reason = test(*candidate);
    if (!reason) return false;
    note_stop(plan, *candidate, stage, std::move(*reason));
    candidate->closed = stage != Stage::size;
    return true;
  });
}

}  // namespace gleaner::planner
