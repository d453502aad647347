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

/// The figures of a cluster and of what it offers a candidate.
[[nodiscard]] Figures figures_of(const Candidate& candidate, const Ledger& ledger);

/// How many resources have the JDL's properties.
void note_matching(const Candidate& candidate, Figures& figures);

/// Notes why a stage stops a candidate: the decision on the pair, unless jobs were given before.
void note_stop(Plan& plan, Candidate& candidate, Stage stage, Stop stop);

/// Notes what was given to a candidate: the decision on the pair.
void note_given(Plan& plan, Candidate& candidate, Figures figures);

/// Drops the candidates of a turn for which `test` gives a Stop, and notes it. What a turn's size stops may get something in the
/// next one; what another stage stops is closed.
template <class Test>
void filter(Stage stage, Plan& plan, std::vector<Candidate*>& candidates, Test test) {
  std::erase_if(candidates, [&](Candidate* candidate) {
    std::optional<Stop> stop = test(*candidate);
    if (!stop) return false;
    note_stop(plan, *candidate, stage, std::move(*stop));
    candidate->closed = stage != Stage::size;
    return true;
  });
}

}  // namespace gleaner::planner
