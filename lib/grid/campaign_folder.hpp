#pragma once
#include <fmt/format.h>

#include <string>
#include <string_view>

#include "lib/grid/epochs.hpp"
#include "lib/grid/id.hpp"

namespace gleaner::grid {

/// The folder of an epoch in a user's home on a cluster. The jobs' wrapper takes it as a word of its shell, so it has only letters, digits
/// and `/ . ~ - _`.
[[nodiscard]] inline std::string grid_folder(std::string_view token) { return fmt::format("~/.gleaner/{}", token); }

/// The folder of a campaign's claims and of the files that its jobs write: in that of the epoch in which it was submitted.
[[nodiscard]] inline std::string campaign_folder(const Epochs& epochs, CampaignId campaign) {
  return fmt::format("{}/{}", grid_folder(epochs.of(campaign)), campaign.value());
}

/// The name of a launch's folder in its campaign's: `<fence>`, or `<fence>-<token>` where a later epoch than the campaign's planned it.
[[nodiscard]] inline std::string fence_name(const Epochs& epochs, CampaignId campaign, LaunchId fence) {
  const auto& token = epochs.of(fence);
  return token == epochs.of(campaign) ? std::to_string(fence.value()) : fmt::format("{}-{}", fence.value(), token);
}

/// The folder in which attempts are claimed: that of the launch `fence`. A successor claims in the folder of the void launch whose attempt
/// it repeats.
[[nodiscard]] inline std::string fence_folder(const Epochs& epochs, CampaignId campaign, LaunchId fence) {
  return fmt::format("{}/{}", campaign_folder(epochs, campaign), fence_name(epochs, campaign, fence));
}

}  // namespace gleaner::grid
