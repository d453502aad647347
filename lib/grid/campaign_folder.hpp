#pragma once
#include <fmt/format.h>

#include <string>
#include <string_view>

#include "lib/grid/id.hpp"

namespace gleaner::grid {

/// The grid's folder in a user's home on a cluster. The jobs' wrapper takes it as a word of its shell, so it has only letters, digits and
/// `/ . ~ - _`.
[[nodiscard]] inline std::string grid_folder(std::string_view grid_token) { return fmt::format("~/.gleaner/{}", grid_token); }

/// The folder of a campaign's claims and of the files that its jobs write.
[[nodiscard]] inline std::string campaign_folder(std::string_view grid_token, CampaignId campaign) {
  return fmt::format("{}/{}", grid_folder(grid_token), campaign.value());
}

/// The folder in which attempts are claimed: that of the launch `fence`. A successor claims in the folder of the void launch whose attempt
/// it repeats.
[[nodiscard]] inline std::string fence_folder(std::string_view grid_token, CampaignId campaign, LaunchId fence) {
  return fmt::format("{}/{}", campaign_folder(grid_token, campaign), fence.value());
}

}  // namespace gleaner::grid
