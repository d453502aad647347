#include "metascheduler/planner/draft.hpp"

#include <algorithm>

#include "metascheduler/planner/instances.hpp"
#include "metascheduler/planner/room.hpp"

namespace gleaner::planner {
namespace {

/// The decision on a pair; it keeps its place among the others.
Decision& decision_on(Candidate& candidate, Plan& plan) {
  if (candidate.decision < 0) {
    candidate.decision = std::ssize(plan.decisions);
    plan.decisions.push_back({.campaign = candidate.pair->campaign, .cluster = candidate.cluster->id});
  }
  return plan.decisions[static_cast<std::size_t>(candidate.decision)];
}

}  // namespace

Campaigns by_id(const std::vector<CampaignView>& campaigns) {
  Campaigns by_id;
  for (const auto& campaign : campaigns) by_id.emplace(campaign.id, &campaign);
  return by_id;
}

OfferParts parts_of(const Candidate& candidate) {
  const auto& cluster = *candidate.cluster;
  return {.max_resources = cluster.max_resources,
          .free_resources = cluster.free_resources + cluster.withheld_resources + cluster.asleep_resources,
          .kept_resources = cluster.kept_resources(),
          .busy_resources = cluster.busy_resources,
          .asleep_resources = cluster.asleep_resources,
          .asleep_nodes = cluster.asleep.nodes(),
          .unnamed_nodes = cluster.asleep.known() && !names_fit(cluster.asleep, cluster),
          .kept_for_others = candidate.kept,
          .flood_resources = candidate.pair->barred ? 0.0 : flood_resources(cluster),
          .waiting_resources = cluster.waiting_resources,
          .unaccounted_resources = cluster.unaccounted_resources,
          .unknown_resources = cluster.unknown_resources,
          .unknown_jobs = cluster.unknown_jobs,
          .unknown_launches = cluster.unknown_launches};
}

Reason earlier_campaigns(const Candidate& candidate, const Ledger& ledger) {
  return reason::EarlierCampaigns{.job_resources = job_resources(*candidate.pair, *candidate.cluster),
                                  .offered_resources = candidate.offer.resources,
                                  .taken_resources = ledger.taken(candidate.cluster_index),
                                  .takers = ledger.takers(candidate.cluster_index)};
}

Reason reason_of(const Cap& cap, const Candidate& candidate, const Draft& draft) {
  const auto& pair = *candidate.pair;
  const auto& cluster = *candidate.cluster;
  switch (cap.kind) {
    case Cap::Kind::offer: return reason::NoFreeResources{job_resources(pair, cluster), parts_of(candidate)};
    case Cap::Kind::bag: return reason::TasksElsewhere{};
    case Cap::Kind::fitting: return reason::NoTaskFits{pair.fitting_tasks.value_or(0)};
    case Cap::Kind::max_jobs:
      return reason::MaxJobsReached{
          .live_jobs = pair.live_jobs + candidate.replicas, .frozen_jobs = pair.frozen_jobs, .max_jobs = cap.most};
    case Cap::Kind::trial:
      return reason::OnTrial{.live_jobs = pair.live_jobs + pair.frozen_jobs, .failures = pair.failures_in_a_row, .brake = pair.last_brake};
    case Cap::Kind::one_per_cluster: return reason::TestAlreadyGiven{pair.live_jobs, pair.concluded_jobs};
    case Cap::Kind::limit: return reason::LimitReached{draft.limits.in_force(cap.limit, candidate)};
    case Cap::Kind::stress:
      return reason::UnderStress{.our_jobs = cluster.our_jobs, .job_limit = cap.most, .signals = cluster.stress_reason};
    case Cap::Kind::file_server:
      return reason::FileServerFull{
          .server = draft.file_servers.in_force(candidate), .live_jobs = pair.live_jobs + pair.frozen_jobs, .probe_jobs = cap.most};
    case Cap::Kind::probe: return reason::Probing{.live_jobs = pair.live_jobs, .probe_jobs = cap.most};
    case Cap::Kind::unjudged:
      return reason::Unjudged{.live_jobs = pair.live_jobs, .done = pair.done, .mean_duration = pair.mean_duration.value_or(0.0)};
    case Cap::Kind::width: return reason::WidthUnknown{pair.live_jobs};
    case Cap::Kind::matching:
      return reason::FewMatch{.matching_resources = pair.matching_resources.value_or(0),
                              .max_resources = cluster.max_resources,
                              .live_jobs = pair.live_jobs + pair.frozen_jobs,
                              .job_resources = candidate.width.resources};
    case Cap::Kind::turn: return earlier_campaigns(candidate, draft.ledger);
    case Cap::Kind::pools: return reason::PoolsUnderWay{pair.live_jobs};
    case Cap::Kind::inputs: return reason::InputsFirst{pair.missing_inputs->bytes, pair.missing_inputs->mb_s};
  }
  return {};
}

Bound bound_of(const Cap& cap, const Candidate& candidate, const Draft& draft) {
  const auto& cluster = *candidate.cluster;
  switch (cap.kind) {
    case Cap::Kind::offer: return bound::Offer{candidate.offer.resources, parts_of(candidate)};
    case Cap::Kind::bag: return bound::Bag{};
    case Cap::Kind::fitting: return bound::Fitting{};
    case Cap::Kind::max_jobs: return bound::MaxJobs{cap.most};
    case Cap::Kind::trial: return bound::Trial{.failures = candidate.pair->failures_in_a_row, .brake = candidate.pair->last_brake};
    case Cap::Kind::one_per_cluster: return bound::OnePerCluster{};
    case Cap::Kind::limit: return bound::Limit{draft.limits.in_force(cap.limit, candidate)};
    case Cap::Kind::stress: return bound::Stress{.job_limit = cap.most, .signals = cluster.stress_reason};
    case Cap::Kind::file_server: return bound::FileServer{draft.file_servers.in_force(candidate)};
    case Cap::Kind::probe:
    case Cap::Kind::unjudged: return bound::Probe{};
    case Cap::Kind::width: return bound::Width{};
    case Cap::Kind::matching:
      return bound::Matching{.matching_resources = candidate.pair->matching_resources.value_or(0), .max_resources = cluster.max_resources};
    case Cap::Kind::turn: return bound::Turn{};
    case Cap::Kind::pools: return bound::Pools{};
    case Cap::Kind::inputs: return bound::Inputs{};
  }
  return {};
}

void want_inputs(Plan& plan, const Candidate& candidate, std::int64_t tasks) {
  const auto& pair = *candidate.pair;
  const auto known = std::ranges::find_if(
      plan.inputs, [&](const WantedInputs& one) { return one.campaign == pair.campaign && one.cluster == pair.cluster; });
  if (known == plan.inputs.end()) plan.inputs.push_back({pair.campaign, pair.cluster, tasks});
  else known->tasks = std::max(known->tasks, tasks);
}

void note_stop(Plan& plan, Candidate& candidate, Stage stage, Reason reason) {
  if (candidate.jobs > 0) return;
  auto& decision = decision_on(candidate, plan);
  decision.stage = stage;
  decision.reason = std::move(reason);
}

void note_given(Plan& plan, Candidate& candidate, Bound bound) {
  auto& decision = decision_on(candidate, plan);
  if (decision.jobs == 0) decision.offered_free = candidate.offer.free;
  decision.stage = Stage::emit;
  decision.reason = reason::Launched{std::move(bound)};
  decision.jobs = candidate.jobs;
}

}  // namespace gleaner::planner
