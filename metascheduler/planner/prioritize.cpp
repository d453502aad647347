#include "metascheduler/planner/prioritize.hpp"

#include <array>
#include <map>

namespace gleaner::planner {
namespace {

/// Lexicographic, the smallest first: class_rank with the class of affinity, before that of priority or after it.
using Rank = std::array<int, 5>;

int type_rank(const CampaignView& campaign) {
  if (campaign.type == grid::CampaignType::test) return 0;
  return campaign.priority == kLowestPriority ? 2 : 1;
}

Rank rank_of(const OrderChoice& order, const CampaignView& campaign, AffinityClass affinity) {
  const auto [type, project, group, priority] = class_rank(order, campaign);
  const int affinity_rank = affinity == AffinityClass::others ? 1 : 0;
  if (order.affinity_first) return {type, affinity_rank, project, group, priority};
  return {type, project, group, priority, affinity_rank};
}

}  // namespace

ClassRank class_rank(const OrderChoice& order, const CampaignView& campaign) {
  if (!order.by_priority) return {type_rank(campaign), 0, 0, 0};
  return {type_rank(campaign), campaign.project_priority.priority, campaign.group_priority.priority, campaign.priority};
}

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
