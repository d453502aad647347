#pragma once
#include <fmt/format.h>

#include <string>
#include <string_view>

#include "lib/grid/id.hpp"

namespace gleaner::grid {

/// Where the jobs of a campaign keep their claims and what they note of themselves, in the user's home on the cluster.
[[nodiscard]] inline std::string campaign_folder(std::string_view grid_token, CampaignId campaign) {
  return fmt::format("~/.gleaner/{}/{}", grid_token, campaign.value());
}

/// The folder of the jobs whose attempts are claimed together: those of the launch `fence`, and those that go on with an attempt of a
/// void launch, in that one's folder.
[[nodiscard]] inline std::string fence_folder(std::string_view grid_token, CampaignId campaign, LaunchId fence) {
  return fmt::format("{}/{}", campaign_folder(grid_token, campaign), fence.value());
}

}  // namespace gleaner::grid
