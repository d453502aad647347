#include "metascheduler/planner/prioritize.hpp"

#include <array>
#include <map>

namespace gleaner::planner {
namespace {

/// Lexicographic, the smallest first: by type and lowest priority, then by the two configured classes; that of priority has three levels,
/// by project, group and campaign.
using Rank = std::array<int, 5>;

int type_rank(const CampaignView& campaign) {
  if (campaign.type == grid::CampaignType::test) return 0;
  return campaign.priority == kLowestPriority ? 2 : 1;
}

Rank rank_of(const OrderChoice& order, const CampaignView& campaign, AffinityClass affinity) {
  const int project = order.by_priority ? campaign.project_priority.priority : 0;
  const int group = order.by_priority ? campaign.group_priority.priority : 0;
  const int priority = order.by_priority ? campaign.priority : 0;
  const int affinity_rank = affinity == AffinityClass::others ? 1 : 0;
  if (order.affinity_first) return {type_rank(campaign), affinity_rank, project, group, priority};
  return {type_rank(campaign), project, group, priority, affinity_rank};
}

}  // namespace

std::vector<ClassMembers> classes_of(const OrderChoice& order, const std::vector<Contender>& contenders) {
  std::map<std::pair<Rank, AffinityClass>, ClassMembers> classes;
  const auto add = [&](std::size_t contender, AffinityClass affinity) {
    auto& members = classes[{rank_of(order, *contenders[contender].campaign, affinity), affinity}];
    members.affinity = affinity;
    members.members.push_back(contender);
  };
  for (std::size_t i = 0; i < contenders.size(); ++i) {
    if (!order.by_affinity || contenders[i].campaign->type == grid::CampaignType::test) {
      add(i, AffinityClass::any);
      continue;
    }
    bool affinity = false, others = false;
    for (const auto& candidate : contenders[i].candidates) (candidate.pair->has_affinity ? affinity : others) = true;
    if (affinity) add(i, AffinityClass::affinity);
    if (others) add(i, AffinityClass::others);
  }
  std::vector<ClassMembers> sorted;
  for (auto& [rank, members] : classes) sorted.push_back(std::move(members));
  return sorted;
}

}  // namespace gleaner::planner
