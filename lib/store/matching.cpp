#include "lib/store/matching.hpp"

#include "lib/store/detail.hpp"

namespace gleaner::store {

using detail::exec;
using detail::exec_prepared;

std::vector<UnmatchedPair> unmatched_pairs(Transaction& transaction, grid::ClusterId cluster, grid::Instant known_before,
                                           grid::Instant none_known_before) {
  std::vector<UnmatchedPair> pairs;
  for (const auto& row : exec_prepared(
           transaction, sql::matching_unmatched{.cluster = cluster, .known_before = known_before, .none_known_before = none_known_before}))
    pairs.push_back({*row.campaign_id, *row.login, *row.properties, *row.best_effort});
  return pairs;
}

std::map<grid::ClusterId, std::string> cluster_properties(Transaction& transaction) {
  std::map<grid::ClusterId, std::string> properties;
  for (const auto& row : exec(transaction, sql::matching_properties{})) properties.emplace(row.id.as<grid::ClusterId>(), *row.properties);
  return properties;
}

void set_cluster_properties(Transaction& transaction, grid::ClusterId cluster, std::string_view properties) {
  exec(transaction, sql::matching_set_properties{.cluster = cluster, .properties = properties});
}

void record_matching(Transaction& transaction, grid::CampaignId campaign, grid::ClusterId cluster, std::optional<int> resources,
                     grid::Instant now) {
  exec(transaction, sql::matching_record{.resources = resources, .now = now, .campaign = campaign, .cluster = cluster});
}

}  // namespace gleaner::store
