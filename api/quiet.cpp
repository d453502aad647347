#include "api/quiet.hpp"

namespace gleaner::api {

Quiet quiet_of(const Call& call, store::Transaction& transaction) {
  return {.standstill = standstill_of(call, transaction), .lapses = store::lapses(transaction, call.now)};
}

void forget_forecast(store::views::Campaign& campaign, const Quiet& quiet) {
  const bool is_live = campaign.state == grid::CampaignState::in_treatment || campaign.state == grid::CampaignState::paused;
  if (!is_live || (!quiet.standstill && !quiet.lapses.unforecast)) return;
  campaign.forecast = {};
  campaign.forecast.method = quiet.standstill ? "standstill" : "stale";
  if (!quiet.standstill) campaign.forecast.made = quiet.lapses.unforecast;
}

}  // namespace gleaner::api
