#include "metascheduler/planner/plan.hpp"

#include <stdexcept>

#include "metascheduler/planner/allocate.hpp"
#include "metascheduler/planner/emit.hpp"
#include "metascheduler/planner/feasible.hpp"
#include "metascheduler/planner/match.hpp"
#include "metascheduler/planner/preempt.hpp"
#include "metascheduler/planner/prioritize.hpp"
#include "metascheduler/planner/replicate.hpp"
#include "metascheduler/planner/size.hpp"
#include "metascheduler/planner/throttle.hpp"

namespace gleaner::planner {
namespace {

struct Policies {
  OrderChoice order;
  const Placement* placement;
};

tl::expected<Policies, std::string> policies_of(const PlannerConfig& config) {
  const auto order = parse_order(config.order);
  if (!order) return tl::unexpected{order.error()};
  const auto placement = find_placement(config.placement);
  if (!placement) return tl::unexpected{placement.error()};
  return Policies{*order, *placement};
}

double free_resources(const Draft& draft) {
  double free = 0.0;
  for (std::size_t i = 0; i < draft.snapshot.clusters.size(); ++i) free += draft.ledger.at_first(i).free;
  return free;
}

/// One turn of a campaign through the stages, on its clusters of one class.
Served serve(const Policies& policies, Couples couples, const Turn& turn, Contender& contender, Draft& draft) {
  if (contender.tasks() <= 0) return {.exhausted = true};
  std::vector<Candidate*> candidates;
  candidates.reserve(contender.candidates.size());
  for (auto& candidate : contender.candidates) {
    if (!candidate.closed && belongs(*candidate.pair, couples)) candidates.push_back(&candidate);
  }
  const auto& scheduler = scheduler_of(*contender.campaign);
  throttle(scheduler, contender, candidates, draft);
  match(scheduler, contender, candidates, draft);
  allocate(*policies.placement, contender, candidates);
  auto served = size(scheduler, policies.placement->distribution(), turn.most_resources, contender, candidates, draft);
  if (served.jobs == 0 && draft.config.reservations) reserve(contender, draft);
  served.exhausted = turn.most_resources == kWholeTurn || served.jobs == 0 || contender.tasks() <= 0;
  return served;
}

}  // namespace

tl::expected<void, std::string> check(const PlannerConfig& config) {
  return policies_of(config).map([](const Policies&) {});
}

Needs needs_of(const PlannerConfig& config) {
  const auto order = parse_order(config.order);
  if (!order) throw std::invalid_argument{order.error()};
  auto needs = order->within->needs();
  needs.couples = needs.couples || order->by_affinity;
  return needs;
}

Plan plan(const Snapshot& snapshot, const PlannerConfig& config) {
  const auto policies = policies_of(config);
  if (!policies) throw std::invalid_argument{policies.error()};

  Draft draft{snapshot, config};
  auto contenders = feasible(draft);
  replicate(ReplicaKind::expired, draft);
  std::uint64_t seed = snapshot.seed;
  for (auto& [couples, members] : classes_of(policies->order, contenders)) {
    const Class among{snapshot, config, contenders, members, free_resources(draft), seed++};
    const auto turns = policies->order.within->turns(among);
    for (const auto member : members) {
      if (auto text = turns->standing(member); !text.empty())
        draft.plan.standings.push_back({.campaign = contenders[member].campaign->id, .text = std::move(text)});
    }
    while (const auto turn = turns->next()) turns->served(*turn, serve(*policies, couples, *turn, contenders[turn->contender], draft));
  }
  preempt(contenders, draft);
  replicate(ReplicaKind::finalize, draft);
  emit(draft);
  return std::move(draft.plan);
}

}  // namespace gleaner::planner
