#pragma once
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "lib/store/views.hpp"

/// Parts of a summary of many campaigns, each by one query for all of them.
namespace gleaner::store::views {

/// The decision that says most about each campaign: the one on the whole campaign, else the one that came furthest in the planner's
/// `stages`. Campaigns without a decision that holds are left out.
[[nodiscard]] std::map<grid::CampaignId, Decision> main_reasons(Transaction& transaction, std::span<const grid::CampaignId> campaigns,
                                                                const std::vector<std::string>& stages, grid::Instant now);

/// The numbers of open events; campaigns without one are left out.
[[nodiscard]] std::map<grid::CampaignId, std::int64_t> open_events(Transaction& transaction, std::span<const grid::CampaignId> campaigns);

}  // namespace gleaner::store::views
