#include "metascheduler/planner/size.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "metascheduler/planner/room.hpp"

namespace gleaner::planner {
namespace {

/// Jobs that the free resources of a cluster take.
int free_room(const Candidate& candidate) {
  return std::min(room_for(candidate, {.resources = candidate.offer.free, .free = candidate.offer.free}), candidate.allowed_jobs);
}

/// Jobs that each cluster's free resources take, in the order of the candidates, of so many tasks:
/// what waits in a queue is taken only from what is left after that.
std::vector<std::int64_t> free_claims(const CampaignScheduler& scheduler, Distribution distribution,
                                      const std::vector<Candidate*>& candidates, std::int64_t tasks) {
  std::vector<std::int64_t> claims(candidates.size(), 0);
  if (scheduler.room() == Room::not_needed) return claims;
  std::vector<std::int64_t> rooms;
  for (const auto* candidate : candidates) rooms.push_back(free_room(*candidate));
  const auto all = std::accumulate(rooms.begin(), rooms.end(), std::int64_t{0});
  const bool dealt = distribution == Distribution::round_robin && all > tasks;
  auto left = tasks;
  for (std::size_t i = 0; i < claims.size() && left > 0; ++i) {
    const auto part = dealt ? (tasks * rooms[i] + all - 1) / all : rooms[i];
    claims[i] = std::min({part, rooms[i], left});
    left -= claims[i];
  }
  return claims;
}

/// What one turn may still give.
int most_of_turn(const Candidate& candidate, double resources_left, bool first) {
  const double jobs = resources_left * candidate.ratio + 1e-9;
  return jobs >= kNoLimit ? kNoLimit : std::max(first ? 1 : 0, static_cast<int>(jobs));
}

Limits::Allowance left_by_limits(const Contender& contender, const Candidate& candidate, const Draft& draft) {
  if (contender.limits.empty()) return {};
  return draft.limits.left(contender, candidate);
}

/// The clusters before this one have used up a part of the limits that hold them all.
void recheck(const Limits::Allowance& left, Candidate& candidate) {
  if (left.jobs < candidate.allowed_jobs) {
    candidate.allowed_jobs = left.jobs;
    candidate.bound = Limit::limit;
    candidate.tightest = left.tightest;
  }
  candidate.allowed_waiting = std::min(candidate.allowed_waiting, left.waiting);
}

}  // namespace

Served size(const CampaignScheduler& scheduler, Distribution distribution, double most_resources, Contender& contender,
           std::vector<Candidate*>& candidates, Draft& draft) {
  Served given;
  const auto none_left = contender.tasks_for_anyone > 0 ? Reason::tasks_elsewhere : Reason::tasks_reserved;
  const auto within_limits = candidates.empty() ? kNoLimit : left_by_limits(contender, *candidates.front(), draft).anywhere;
  const auto budget = std::min<std::int64_t>(contender.tasks_for_anyone, within_limits);
  const auto claims = free_claims(scheduler, distribution, candidates, budget);
  auto claimed = std::accumulate(claims.begin(), claims.end(), std::int64_t{0});
  const bool dealt = distribution == Distribution::round_robin && claimed == budget;
  auto claim = claims.begin();
  filter(Stage::size, draft.plan, candidates, [&](Candidate& candidate) -> std::optional<Stop> {
    const auto& pair = *candidate.pair;
    const auto left = left_by_limits(contender, candidate, draft);
    recheck(left, candidate);
    const auto own_claim = *claim;
    claimed -= *claim++;  // of the clusters that come after this one
    const auto own = std::min(pair.returned_tasks - candidate.returned, contender.tasks_reserved);
    auto figures = figures_of(candidate, draft.ledger);
    const auto for_anyone = dealt ? own_claim : std::max<std::int64_t>(0, contender.tasks_for_anyone - claimed);
    figures.tasks = for_anyone + own;
    auto sizing = Sizing{.reason = none_left};
    if (figures.tasks > 0) sizing = scheduler.size(candidate, figures.tasks);
    else figures.tasks = contender.tasks_reserved;
    const int at_once = free_room(candidate);
    if (candidate.allowed_waiting < kNoLimit && sizing.jobs > at_once + candidate.allowed_waiting) {
      sizing = {.jobs = at_once + candidate.allowed_waiting, .limit = Limit::limit, .reason = Reason::limit_reached};
      candidate.tightest = left.tightest_waiting;
    }
    // A limit that holds all clusters goes to what is free anywhere before it goes to a queue.
    if (const auto most = std::max<std::int64_t>(at_once, left.anywhere - claimed); sizing.jobs > most) {
      sizing = {.jobs = static_cast<int>(most), .limit = Limit::limit, .reason = Reason::limit_reached};
      candidate.tightest = left.tightest_anywhere;
    }
    if (const int most = most_of_turn(candidate, most_resources - given.resources, given.jobs == 0); sizing.jobs > most) {
      sizing.jobs = most;
      sizing.limit = Limit::turn;
      sizing.reason = Reason::earlier_campaigns;
    }
    if (sizing.jobs <= 0 && sizing.limit == Limit::limit) sizing.reason = Reason::limit_reached;
    if (sizing.limit == Limit::limit) figures.note = draft.limits.text(candidate.tightest);
    if (sizing.jobs <= 0) return Stop{sizing.reason, std::move(figures)};
    figures.limit = sizing.limit;
    if (sizing.limit == Limit::matching) note_matching(candidate, figures);
    if (sizing.limit == Limit::stress) {
      figures.max_jobs = candidate.cluster->job_limit.value_or(0);
      figures.note = candidate.cluster->stress_reason;
    }
    const auto returned = static_cast<int>(std::min<std::int64_t>(sizing.jobs, own));
    const auto resources = resources_of(sizing.jobs, pair, *candidate.cluster, candidate.offer.resources);
    contender.tasks_for_anyone -= sizing.jobs - returned;
    contender.tasks_reserved -= returned;
    if (candidate.jobs == 0) draft.served.push_back(&candidate);
    candidate.jobs += sizing.jobs;
    candidate.returned += returned;
    candidate.resources += resources;
    given.jobs += sizing.jobs;
    given.resources += resources;
    // Where the ratio is above 1, jobs run one after the other on what is counted for them.
    given.resource_seconds += std::max(resources, static_cast<double>(sizing.jobs)) * pair.mean_duration.value_or(pair.walltime);
    draft.ledger.take(candidate.cluster_index, pair.campaign, pair.walltime, sizing.jobs, resources);
    draft.limits.take(contender, candidate, sizing.jobs, std::max(0, sizing.jobs - at_once));
    note_given(draft.plan, candidate, std::move(figures));
    return std::nullopt;
  });
  return given;
}

}  // namespace gleaner::planner
