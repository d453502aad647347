#pragma once
#include <vector>

#include "metascheduler/planner/snapshot.hpp"

namespace gleaner::planner {

[[nodiscard]] bool is_for(const KeepView& keep, grid::CampaignId campaign);

/// Adds as much of a use as the keep holds. @return that much
double use(double& used, int resources, double more);

/// The keeps that are active, with what those that they are for use of them, this plan included.
class Keeps {
 public:
  Keeps() = default;
  explicit Keeps(std::vector<KeepView> keeps) : keeps_{std::move(keeps)} {}

  /// Resources of a cluster that are kept from a campaign: what others, whom the keeps are for, do not use yet.
  [[nodiscard]] double kept_from(grid::ClusterId cluster, grid::CampaignId campaign) const;
  /// Those that are not for the campaign, also if those that they are for use all that is kept.
  [[nodiscard]] std::vector<const KeepView*> for_others(grid::ClusterId cluster, grid::CampaignId campaign) const;
  /// Those that keep something from the campaign.
  [[nodiscard]] std::vector<const KeepView*> barring(grid::ClusterId cluster, grid::CampaignId campaign) const;

  void take(grid::ClusterId cluster, grid::CampaignId campaign, double resources);

 private:
  std::vector<KeepView> keeps_;
};

}  // namespace gleaner::planner
