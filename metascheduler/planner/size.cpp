#include "metascheduler/planner/size.hpp"

#include <algorithm>
#include <numeric>

#include "metascheduler/planner/match.hpp"
#include "metascheduler/planner/room.hpp"

namespace gleaner::planner {
namespace {

/// Jobs that each cluster's free resources take, in the order of the candidates, of so many tasks:
/// what waits in a queue is taken only from what is left after that.
std::vector<std::int64_t> free_claims(const CampaignScheduler& scheduler, const Contender& contender, std::int64_t tasks) {
  std::vector<std::int64_t> claims(contender.candidates.size(), 0);
  if (scheduler.room() == Room::not_needed) return claims;
  for (std::size_t i = 0; i < claims.size() && tasks > 0; ++i) {
    const auto& candidate = contender.candidates[i];
    const Offer free{.resources = candidate.offer.free, .free = candidate.offer.free};
    const auto room = std::min(room_for(*candidate.pair, *candidate.cluster, free), candidate.allowed_jobs);
    claims[i] = std::min<std::int64_t>(room, tasks);
    tasks -= claims[i];
  }
  return claims;
}

}  // namespace

std::vector<Share> size(const CampaignScheduler& scheduler, Ledger& ledger, Contender& contender,
                        std::vector<Decision>& decisions) {
  std::vector<Share> shares;
  std::int64_t for_anyone = contender.campaign->waiting_tasks - contender.reserved_tasks;
  const auto none_left = for_anyone > 0 ? Reason::tasks_elsewhere : Reason::tasks_reserved;
  const auto claims = free_claims(scheduler, contender, for_anyone);
  auto claimed = std::accumulate(claims.begin(), claims.end(), std::int64_t{0});
  auto claim = claims.begin();
  filter(Stage::size, contender, decisions, [&](const Candidate& candidate) -> std::optional<Stop> {
    const auto& pair = *candidate.pair;
    claimed -= *claim++;  // of the clusters that come after this one
    const auto own = std::min(pair.returned_tasks, contender.reserved_tasks);
    auto figures = figures_of(candidate, ledger);
    figures.tasks = std::max<std::int64_t>(0, for_anyone - claimed) + own;
    auto sizing = Sizing{.reason = none_left};
    if (figures.tasks > 0) sizing = scheduler.size(candidate, figures.tasks);
    else figures.tasks = contender.reserved_tasks;
    if (sizing.jobs <= 0) return Stop{sizing.reason, std::move(figures)};
    figures.limit = sizing.limit;
    const auto returned = static_cast<int>(std::min<std::int64_t>(sizing.jobs, own));
    const auto resources = resources_of(sizing.jobs, pair, *candidate.cluster, candidate.offer.resources);
    for_anyone -= sizing.jobs - returned;
    ledger.take(pair.campaign, pair.cluster, resources);
    shares.push_back({candidate, sizing.jobs, returned, resources, std::move(figures)});
    return std::nullopt;
  });
  return shares;
}

}  // namespace gleaner::planner
