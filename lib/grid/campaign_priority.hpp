#pragma once
#include <optional>
#include <string>
#include <string_view>

/// The effect of the JDL's campaign_priority on the order of campaigns.
namespace gleaner::grid {

inline constexpr int kNormalPriority = 4;  ///< the middle of seven levels, 1 the highest (document 002, "Project Priority")
inline constexpr int kLowestPriority = 7;  ///< its jobs give way to those of normal priority and above

/// The keys of the configuration that decide this effect.
struct OrderOfCampaigns {
  std::string_view name;     ///< campaign_order, such as `affinity,fairshare`
  std::string_view weights;  ///< multifactor_weights, such as `age:1000,priority:500`
  bool simultaneous = false;
};

enum class PriorityEffect {
  on_all,            ///< a campaign of higher priority goes before the campaigns of all users
  on_own_campaigns,  ///< it goes before the other campaigns of its user only
  none
};
/// The effect of levels 1 to 6; the lowest level counts in every order. Tests compare this function with the metascheduler's orders.
[[nodiscard]] PriorityEffect effect_of_priority(const OrderOfCampaigns& order);

/// One sentence for the user of a campaign whose priority has less effect than expected. Empty for the normal priority, which needs no
/// effect, and for the lowest, which always has one.
/// @param priority  1 to kLowestPriority
[[nodiscard]] std::optional<std::string> priority_note(int priority, const OrderOfCampaigns& order);

/// One sentence on a priority that administrators gave to the campaign's project, or to a group of its user, with its effect in this order.
/// @param holder  `project` or `group`
[[nodiscard]] std::string given_priority_note(std::string_view holder, std::string_view name, int priority, const OrderOfCampaigns& order);

}  // namespace gleaner::grid
