#pragma once
#include <optional>
#include <string_view>

namespace gleaner::grid {

/// The campaign type of `gridsub -t`. It selects the campaign scheduler.
enum class CampaignType {
  default_,  ///< all its tasks run, wherever there are resources
  test       ///< one job on each cluster of its JDL, before the campaigns of the other type
};

[[nodiscard]] constexpr std::string_view name_of(CampaignType type) { return type == CampaignType::test ? "test" : "default"; }

[[nodiscard]] constexpr std::optional<CampaignType> campaign_type(std::string_view name) {
  if (name == name_of(CampaignType::default_)) return CampaignType::default_;
  if (name == name_of(CampaignType::test)) return CampaignType::test;
  return std::nullopt;
}

}  // namespace gleaner::grid
