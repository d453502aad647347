#include "lib/store/scenario.hpp"

#include "lib/store/detail.hpp"
#include "lib/store/policies.hpp"

namespace gleaner::store {
namespace {

using detail::exec;
using detail::Rows;

DurationCount read_count(const auto& row) { return {*row.seconds, *row.jobs}; }

template <class Query>
std::map<grid::CampaignId, DurationCounts> counts_of(const Rows<Query>& rows) {
  std::map<grid::CampaignId, DurationCounts> counts;
  for (const auto& row : rows) counts[*row.campaign_id].push_back(read_count(row));
  return counts;
}

}  // namespace

GridState grid_state(Transaction& transaction, const ClusterDefaults& defaults, int usage_days, grid::Instant now) {
  GridState state;
  state.planning = planning_facts(transaction, defaults, now);
  state.planning.policies = policy_facts(transaction, {.usage_days = usage_days, .affinities = true, .profiled = true}, now);
  for (const auto& row : exec(transaction, sql::scenario_campaigns{})) {
    const grid::CampaignId campaign = *row.id;
    state.names[campaign] = *row.name;
    if (row.max_attempts.has_value()) state.max_attempts[campaign] = *row.max_attempts;
  }
  for (const auto& row : exec(transaction, sql::scenario_pairs{}))
    state.best_effort[{*row.campaign_id, *row.cluster_id}] = *row.best_effort;
  for (const auto& row : exec(transaction, sql::scenario_running{.now = now})) {
    state.running.push_back(
        {.campaign = *row.campaign_id, .cluster = *row.cluster_id, .age = *row.age, .jobs = *row.jobs, .resources = *row.resources});
  }
  for (const auto& row : exec(transaction, sql::scenario_pooled{})) state.pooled[*row.campaign_id] = *row.tasks;
  state.dependencies = open_dependencies(transaction);
  state.durations = counts_of(exec(transaction, sql::scenario_durations{}));
  state.earlier = counts_of(exec(transaction, sql::scenario_earlier{}));
  return state;
}

DurationCounts durations_of(Transaction& transaction, const std::string& user, const std::vector<std::string>& commands) {
  DurationCounts counts;
  for (const auto& row : exec(transaction, sql::scenario_durations_of{.user = user, .commands = detail::text_array(commands)}))
    counts.push_back(read_count(row));
  return counts;
}

}  // namespace gleaner::store
