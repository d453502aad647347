#pragma once
#include <string>

#include "api/json.hpp"
#include "lib/store/views.hpp"

namespace gleaner::api {

[[nodiscard]] std::string campaign_path(grid::CampaignId id);

/// The fields of a campaign, into an object that is open.
void write_campaign(Json& json, const store::views::Campaign& campaign);
/// The same for what it does on one cluster.
void write_campaign_cluster(Json& json, const store::views::CampaignCluster& cluster);
/// When it starts and ends, with the intervals, into an object that is open.
void write_forecast(Json& json, const store::views::Forecast& forecast);
/// A brake or null.
void write_brake(Json& json, const std::optional<store::views::Brake>& brake);

}  // namespace gleaner::api
