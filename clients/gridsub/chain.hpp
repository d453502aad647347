#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "clients/gridsub/campaign.hpp"

/// Campaigns that are submitted together, and come after each other by name.
namespace gleaner::gridsub {

/// Puts those that come first before those that come after them; else the order stays. Throws process::Error (usage) for campaigns that
/// come after each other in a circle, and for a name that two of them have.
void put_in_order(std::vector<Campaign>& campaigns);

/// The names of the others that a campaign comes after, by kind.
struct FirstByName {
  grid::DependencyKind kind = grid::DependencyKind::after;
  std::string name;
};
[[nodiscard]] std::vector<FirstByName> first_among(const Campaign& campaign, const std::vector<Campaign>& campaigns);

/// Writes the numbers of the submitted ones for the names that a campaign comes after; 0 for those that are not submitted yet.
/// @param ids  of the first campaigns
void name_by_number(Campaign& campaign, const std::vector<Campaign>& campaigns, const std::vector<std::int64_t>& ids);

}  // namespace gleaner::gridsub
