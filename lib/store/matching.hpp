#pragma once
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lib/grid/id.hpp"
#include "lib/grid/time.hpp"
#include "lib/store/database.hpp"

/// Number of a cluster's resources that have the properties of a campaign's JDL.
namespace gleaner::store {

/// A campaign in treatment with properties, whose cluster must be asked for this number.
struct UnmatchedPair {
  grid::CampaignId campaign{0};
  std::string login;  ///< of its user there
  std::string properties;
  bool best_effort = true;
};
/// Pairs without an answer come first.
/// @param known_before       answers from before this time are out of date
/// @param none_known_before  the same for answers that no resource has the properties
[[nodiscard]] std::vector<UnmatchedPair> unmatched_pairs(Transaction& transaction, grid::ClusterId cluster, grid::Instant known_before,
                                                         grid::Instant none_known_before);

/// The properties that the resources of all jobs on a cluster must have, beside those of the campaign, as OAR's SQL condition. Clusters
/// without any are left out.
[[nodiscard]] std::map<grid::ClusterId, std::string> cluster_properties(Transaction& transaction);
/// @param properties  grid::wrong_properties() finds nothing wrong with them; empty: none
void set_cluster_properties(Transaction& transaction, grid::ClusterId cluster, std::string_view properties);

/// @param resources  empty: the cluster could not answer
void record_matching(Transaction& transaction, grid::CampaignId campaign, grid::ClusterId cluster, std::optional<int> resources,
                     grid::Instant now);

}  // namespace gleaner::store
