#include "metascheduler/planner/size.hpp"

#include <algorithm>

#include "metascheduler/planner/match.hpp"
#include "metascheduler/planner/room.hpp"

namespace gleaner::planner {

std::vector<Share> size(const CampaignScheduler& scheduler, Ledger& ledger, Contender& contender,
                        std::vector<Decision>& decisions) {
  std::vector<Share> shares;
  std::int64_t for_anyone = contender.campaign->waiting_tasks - contender.reserved_tasks;
  const auto none_left = for_anyone > 0 ? Reason::tasks_elsewhere : Reason::tasks_reserved;
  filter(Stage::size, contender, decisions, [&](const Candidate& candidate) -> std::optional<Stop> {
    const auto& pair = *candidate.pair;
    const auto own = std::min(pair.returned_tasks, contender.reserved_tasks);
    auto figures = figures_of(candidate, ledger);
    figures.tasks = for_anyone + own;
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
