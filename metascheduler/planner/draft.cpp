#include "metascheduler/planner/draft.hpp"

#include "metascheduler/planner/room.hpp"

namespace gleaner::planner {
namespace {

/// The decision on a pair, as it is now; it keeps its place among the others.
void decide(Plan& plan, Candidate& candidate, Stage stage, Reason reason, int jobs, Figures figures) {
  if (candidate.decision < 0) {
    candidate.decision = std::ssize(plan.decisions);
    plan.decisions.emplace_back(candidate.pair->campaign, candidate.cluster->id, stage, reason, jobs, std::move(figures));
    return;
  }
  auto& decision = plan.decisions[static_cast<std::size_t>(candidate.decision)];
  decision.stage = stage;
  decision.reason = reason;
  decision.jobs = jobs;
  decision.figures = std::move(figures);
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
  figures.unknown_resources = cluster.unknown_resources;
  figures.unknown_jobs = cluster.unknown_jobs;
  figures.unknown_launches = cluster.unknown_launches;
  figures.flood_resources = flood_resources(cluster);
  figures.offered_resources = candidate.offer.resources;
  figures.offered_free = candidate.offer.free;
  figures.taken_resources = ledger.taken(index);
  figures.job_resources = job_resources(*candidate.pair, cluster);
  figures.live_jobs = candidate.pair->live_jobs;
  figures.frozen_jobs = candidate.pair->frozen_jobs;
  figures.concluded_jobs = candidate.pair->concluded_jobs;
  figures.max_jobs = candidate.pair->max_jobs.value_or(0);
  figures.earlier = ledger.takers(index);
  if (const auto& held = ledger.reservation(index)) figures.held_resources = held->resources;
  return figures;
}

void note_matching(const Candidate& candidate, Figures& figures) {
  figures.max_resources = candidate.cluster->max_resources;
  figures.matching_resources = candidate.pair->matching_resources.value_or(0);
  figures.job_resources = candidate.width.resources;
}

void note_stop(Plan& plan, Candidate& candidate, Stage stage, Stop stop) {
  if (candidate.jobs == 0) decide(plan, candidate, stage, stop.reason, 0, std::move(stop.figures));
}

void note_given(Plan& plan, Candidate& candidate, Figures figures) {
  // The predictor learns from what was offered before the first turn.
  if (candidate.decision >= 0) {
    const auto& before = plan.decisions[static_cast<std::size_t>(candidate.decision)];
    if (before.jobs > 0) figures.offered_free = before.figures.offered_free;
  }
  decide(plan, candidate, Stage::emit, Reason::launched, candidate.jobs, std::move(figures));
}

}  // namespace gleaner::planner
