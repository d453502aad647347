#pragma once
#include <fmt/format.h>

#include <string>
#include <string_view>

#include "lib/grid/id.hpp"

namespace gleaner::grid {

/// Where this grid keeps what it needs in the user's home on a cluster (the jobs' wrapper says the same: runner/command/command.cpp).
[[nodiscard]] inline std::string grid_folder(std::string_view grid_token) { return fmt::format("~/.gleaner/{}", grid_token); }

/// Where the jobs of a campaign keep their claims and what they note of themselves.
[[nodiscard]] inline std::string campaign_folder(std::string_view grid_token, CampaignId campaign) {
  return fmt::format("{}/{}", grid_folder(grid_token), campaign.value());
}

/// The folder of the jobs whose attempts are claimed together: those of the launch `fence`, and those that go on with an attempt of a
/// void launch, in that one's folder.
[[nodiscard]] inline std::string fence_folder(std::string_view grid_token, CampaignId campaign, LaunchId fence) {
  return fmt::format("{}/{}", campaign_folder(grid_token, campaign), fence.value());
}

}  // namespace gleaner::grid
