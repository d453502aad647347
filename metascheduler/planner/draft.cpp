#include "metascheduler/planner/draft.hpp"

#include "metascheduler/planner/room.hpp"

namespace gleaner::planner {
namespace {

Decision& decision_of(Plan& plan, Candidate& candidate) {
  if (candidate.decision < 0) {
    candidate.decision = std::ssize(plan.decisions);
    plan.decisions.push_back({.campaign = candidate.pair->campaign, .cluster = candidate.cluster->id});
  }
  return plan.decisions[static_cast<std::size_t>(candidate.decision)];
}

}  // namespace

Figures figures_of(const Candidate& candidate, const Ledger& ledger) {
  const auto& cluster = *candidate.cluster;
  const auto index = candidate.cluster_index;
  Figures figures;
  figures.max_resources = cluster.max_resources;
  figures.free_resources = cluster.free_resources;
  figures.waiting_resources = cluster.waiting_resources;
  figures.unaccounted_resources = cluster.unaccounted_resources;
  figures.flood_resources = flood_resources(cluster);
  figures.offered_resources = candidate.offer.resources;
  figures.offered_free = candidate.offer.free;
  figures.taken_resources = ledger.taken(index);
  figures.job_resources = 1.0 / usable_ratio(*candidate.pair, cluster);
  figures.live_jobs = candidate.pair->live_jobs;
  figures.frozen_jobs = candidate.pair->frozen_jobs;
  figures.concluded_jobs = candidate.pair->concluded_jobs;
  figures.max_jobs = candidate.pair->max_jobs.value_or(0);
  figures.earlier = ledger.takers(index);
  if (const auto& held = ledger.reservation(index)) figures.held_resources = held->resources;
  return figures;
}

void note_stop(Plan& plan, Candidate& candidate, Stage stage, Stop stop) {
  if (candidate.jobs > 0) return;
  auto& decision = decision_of(plan, candidate);
  decision.stage = stage;
  decision.reason = stop.reason;
  decision.figures = std::move(stop.figures);
}

void note_given(Plan& plan, Candidate& candidate, Figures figures) {
  auto& decision = decision_of(plan, candidate);
  // The predictor learns from what was offered before the first turn.
  const auto offered = decision.jobs > 0 ? decision.figures.offered_free : figures.offered_free;
  decision.stage = Stage::emit;
  decision.reason = Reason::launched;
  decision.jobs = candidate.jobs;
  decision.figures = std::move(figures);
  decision.figures.offered_free = offered;
}

}  // namespace gleaner::planner
