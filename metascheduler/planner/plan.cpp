#include "metascheduler/planner/plan.hpp"

#include <stdexcept>

#include "metascheduler/planner/allocate.hpp"
#include "metascheduler/planner/emit.hpp"
#include "metascheduler/planner/feasible.hpp"
#include "metascheduler/planner/ledger.hpp"
#include "metascheduler/planner/match.hpp"
#include "metascheduler/planner/prioritize.hpp"
#include "metascheduler/planner/size.hpp"
#include "metascheduler/planner/throttle.hpp"

namespace gleaner::planner {

namespace {

struct Policies {
  const CampaignOrder* order;
  const Placement* placement;
};

tl::expected<Policies, std::string> policies_of(const PlannerConfig& config) {
  const auto order = find_order(config.order);
  if (!order) return tl::unexpected{order.error()};
  const auto placement = find_placement(config.placement);
  if (!placement) return tl::unexpected{placement.error()};
  return Policies{*order, *placement};
}

}  // namespace

tl::expected<void, std::string> check(const PlannerConfig& config) {
  return policies_of(config).map([](const Policies&) {});
}

Plan plan(const Snapshot& snapshot, const PlannerConfig& config) {
  const auto policies = policies_of(config);
  if (!policies) throw std::invalid_argument{policies.error()};

  Plan result;
  auto contenders = feasible(snapshot, result);
  prioritize(*policies->order, contenders);
  Ledger ledger{snapshot.clusters};
  for (auto& contender : contenders) {
    const auto& scheduler = scheduler_of(contender.campaign->type);
    throttle(contender, result.decisions);
    match(scheduler, ledger, contender, result.decisions);
    allocate(*policies->placement, contender);
    emit(size(scheduler, ledger, contender, result.decisions), result);
  }
  return result;
}

}  // namespace gleaner::planner
