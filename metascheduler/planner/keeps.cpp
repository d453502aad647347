#include "metascheduler/planner/keeps.hpp"

#include <algorithm>

#include "lib/grid/dust.hpp"

namespace gleaner::planner {
namespace {

double unused(const KeepView& keep) { return std::max(0.0, keep.resources - keep.used); }

}  // namespace

bool is_for(const KeepView& keep, grid::CampaignId campaign) { return std::ranges::binary_search(keep.campaigns, campaign); }

double use(double& used, int resources, double more) {
  const double added = std::clamp(more, 0.0, std::max(0.0, resources - used));
  used += added;
  return added;
}

std::vector<const KeepView*> Keeps::for_others(grid::ClusterId cluster, grid::CampaignId campaign) const {
  std::vector<const KeepView*> found;
  for (const auto& keep : keeps_) {
    if (keep.cluster == cluster && !is_for(keep, campaign)) found.push_back(&keep);
  }
  return found;
}

std::vector<const KeepView*> Keeps::barring(grid::ClusterId cluster, grid::CampaignId campaign) const {
  auto found = for_others(cluster, campaign);
  std::erase_if(found, [](const KeepView* keep) { return unused(*keep) <= grid::kDust; });
  return found;
}

double Keeps::kept_from(grid::ClusterId cluster, grid::CampaignId campaign) const {
  double kept = 0.0;
  for (const auto& keep : keeps_) {
    if (keep.cluster == cluster && !is_for(keep, campaign)) kept += unused(keep);
  }
  return kept;
}

void Keeps::take(grid::ClusterId cluster, grid::CampaignId campaign, double resources) {
  for (auto& keep : keeps_) {
    if (keep.cluster == cluster && is_for(keep, campaign)) resources -= use(keep.used, keep.resources, resources);
  }
}

}  // namespace gleaner::planner
