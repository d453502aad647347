#include "lib/store/scenario.hpp"

#include "lib/store/detail.hpp"
#include "lib/store/policies.hpp"

namespace gleaner::store {
namespace {

using detail::exec;

grid::CampaignId campaign_of(const pqxx::row& row) { return grid::CampaignId{row["campaign_id"].as<std::int64_t>()}; }
grid::ClusterId cluster_of(const pqxx::row& row) { return grid::ClusterId{row["cluster_id"].as<std::int64_t>()}; }

DurationCount read_count(const pqxx::row& row) { return {row["seconds"].as<double>(), row["jobs"].as<std::int64_t>()}; }

std::map<grid::CampaignId, DurationCounts> counts_of(const pqxx::result& rows) {
  std::map<grid::CampaignId, DurationCounts> counts;
  for (const auto& row : rows) counts[campaign_of(row)].push_back(read_count(row));
  return counts;
}

}  // namespace

GridState grid_state(Transaction& transaction, const ClusterDefaults& defaults, int usage_days, grid::Instant now) {
  GridState state;
  state.planning = planning_facts(transaction, defaults, now);
  state.planning.policies = policy_facts(transaction, {.usage_days = usage_days, .couples = true, .profiled = true}, now);
  for (const auto& row : exec(transaction, sql::scenario_campaigns{})) {
    const grid::CampaignId campaign{row["id"].as<std::int64_t>()};
    state.names[campaign] = detail::text(row["name"]);
    if (const auto attempts = detail::get<int>(row["max_attempts"])) state.max_attempts[campaign] = *attempts;
  }
  for (const auto& row : exec(transaction, sql::scenario_pairs{}))
    state.best_effort[{campaign_of(row), cluster_of(row)}] = row["best_effort"].as<bool>();
  for (const auto& row : exec(transaction, sql::scenario_running{.now = now})) {
    state.running.push_back({.campaign = campaign_of(row),
                             .cluster = cluster_of(row),
                             .age = row["age"].as<double>(),
                             .jobs = row["jobs"].as<std::int64_t>(),
                             .resources = row["resources"].as<std::int64_t>()});
  }
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
