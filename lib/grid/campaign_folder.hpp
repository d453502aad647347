#pragma once
#include <fmt/format.h>

#include <string>
#include <string_view>

#include "lib/grid/id.hpp"

namespace gleaner::grid {

/// Where the jobs of a campaign keep their claims and journals, in the user's home on the cluster.
[[nodiscard]] inline std::string campaign_folder(std::string_view grid_token, CampaignId campaign) {
  return fmt::format("~/.gleaner/{}/{}", grid_token, campaign.value());
}

}  // namespace gleaner::grid
