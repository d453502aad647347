#pragma once
#include <optional>
#include <string>
#include <vector>

#include "lib/grid/id.hpp"
#include "lib/grid/time.hpp"
#include "lib/store/database.hpp"

/// How many resources of a cluster have the properties that a campaign's JDL asks for there.
namespace gleaner::store {

/// A campaign in treatment with properties, whose cluster has not told this yet, or not for some time.
struct UnmatchedPair {
  grid::CampaignId campaign{0};
  std::string login;  ///< its user's, there
  std::string properties;
  bool best_effort = true;
};
/// Those never told first.
/// @param told_before       an answer from before this time is asked for again
/// @param none_told_before  the same of an answer that no resource has them
[[nodiscard]] std::vector<UnmatchedPair> unmatched_pairs(Transaction& transaction, grid::ClusterId cluster, grid::Instant told_before,
                                                         grid::Instant none_told_before);

/// @param resources  nothing: the cluster cannot tell
void record_matching(Transaction& transaction, grid::CampaignId campaign, grid::ClusterId cluster, std::optional<int> resources,
                     grid::Instant now);

}  // namespace gleaner::store
