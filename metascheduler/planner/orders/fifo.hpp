#pragma once
#include <algorithm>
#include <tuple>

#include "metascheduler/planner/orders/order.hpp"

namespace gleaner::planner {

/// First come, first served. Source: spec/003, "Metascheduler".
class Fifo final : public CampaignOrder {
 public:
  [[nodiscard]] std::string_view name() const override { return "fifo"; }
  [[nodiscard]] std::vector<const CampaignView*> rank(std::vector<const CampaignView*> campaigns) const override {
    std::ranges::sort(campaigns, {}, [](const CampaignView* campaign) { return std::tuple{campaign->submitted, campaign->id}; });
    return campaigns;
  }
};

}  // namespace gleaner::planner
