#pragma once
#include <optional>
#include <string>
#include <string_view>

/// What the JDL's campaign_priority does in an order of campaigns.
namespace gleaner::grid {

inline constexpr int kNormalPriority = 4;  ///< of seven, 1 the highest (spec/002, "Project Priority")
inline constexpr int kLowestPriority = 7;  ///< its jobs give way to those of normal priority and above

/// The keys of the configuration that decide it.
struct OrderOfCampaigns {
  std::string_view name;     ///< campaign_order, such as `affinity,fairshare`
  std::string_view weights;  ///< multifactor_weights, such as `age:1000,priority:500`
  bool simultaneous = false;
};

enum class PriorityEffect {
  on_all,            ///< a campaign of higher priority goes before others' campaigns
  on_own_campaigns,  ///< before its user's other campaigns only
  none
};
/// Of the priorities between the highest and the lowest, which alone counts in every order. The metascheduler's orders are tested
/// against it.
[[nodiscard]] PriorityEffect effect_of_priority(const OrderOfCampaigns& order);

/// One sentence for the user of a campaign whose priority does less than it seems to. Nothing for the normal priority, which needs no
/// effect, and for the lowest one.
/// @param priority  1 to kLowestPriority
[[nodiscard]] std::optional<std::string> priority_note(int priority, const OrderOfCampaigns& order);

}  // namespace gleaner::grid
