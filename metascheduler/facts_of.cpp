#include "metascheduler/facts_of.hpp"

#include <algorithm>

#include "lib/store/planning.hpp"
#include "lib/store/policies.hpp"
#include "lib/store/replicas.hpp"
#include "metascheduler/planner/plan.hpp"

namespace gleaner::metascheduler {
namespace {

store::PolicyNeeds needs_of(const grid::PlanningFacts& facts, const process::Config& config) {
  const auto wants = planner::needs_of(config);
  const auto any_campaign = [&](auto test) { return std::ranges::any_of(facts.campaigns, test); };
  store::PolicyNeeds needs{.limits = facts.present.limits,
                           .keeps = facts.present.keeps,
                           .shares = facts.present.shares,
                           .priorities = facts.present.priorities,
                           .held = facts.present.held,
                           .declared_priorities = facts.present.declared_priorities};
  if (wants.shares) needs.usage_days = config.fairshare_window;
  needs.affinities = wants.affinities;
  // Only a job of several resources ever waits for them to be free at once. Others wait in queues, behind jobs that run.
  const bool any_wide =
      config.reservations && std::ranges::any_of(facts.pairs, [](const auto& pair) { return pair.resources_per_job != 1; });
  const auto has_queue = [](const auto& cluster) { return cluster.flood_for_grid() > 0 && cluster.our_resources > 0; };
  needs.endings = any_wide || std::ranges::any_of(facts.clusters, has_queue);
  needs.soon = config.remote_waiting_timeout;
  needs.dying = any_campaign([](const auto& campaign) { return campaign.priority == grid::kLowestPriority; });
  needs.profiled = any_campaign(
      [&](const auto& campaign) { return (campaign.scheduler.empty() ? config.campaign_scheduler : campaign.scheduler) == "prediction"; });
  return needs;
}

}  // namespace

grid::PlanningFacts facts_of(store::Transaction& transaction, const process::Config& config, grid::Instant now) {
  auto facts = store::planning_facts(transaction, {config.flood, config.array_size, config.headroom, config.availability}, now);
  facts.policies = store::policy_facts(transaction, needs_of(facts, config), now);
  if (std::ranges::any_of(facts.campaigns, &grid::CampaignFacts::replicas_allowed))
    facts.policies.replicable = store::replicable_tasks(transaction, config.expired_quantile, kMinJobsDone, now);
  return facts;
}

}  // namespace gleaner::metascheduler
