#include "metascheduler/planner/prioritize.hpp"

#include <algorithm>
#include <iterator>
#include <unordered_map>

namespace gleaner::planner {
namespace {

void rank_group(const CampaignOrder& order, std::vector<Contender>::iterator begin, std::vector<Contender>::iterator end) {
  std::vector<const CampaignView*> campaigns;
  std::unordered_map<const CampaignView*, Contender*> contender_of;
  for (auto contender = begin; contender != end; ++contender) {
    campaigns.push_back(contender->campaign);
    contender_of.emplace(contender->campaign, &*contender);
  }
  std::vector<Contender> ranked;
  ranked.reserve(campaigns.size());
  for (const auto* campaign : order.rank(std::move(campaigns))) ranked.push_back(std::move(*contender_of.at(campaign)));
  std::ranges::move(ranked, begin);
}

}  // namespace

void prioritize(const CampaignOrder& order, std::vector<Contender>& contenders) {
  const auto others = std::partition(contenders.begin(), contenders.end(), [](const Contender& contender) {
    return contender.campaign->type == grid::CampaignType::test;
  });
  rank_group(order, contenders.begin(), others);
  rank_group(order, others, contenders.end());
}

}  // namespace gleaner::planner
