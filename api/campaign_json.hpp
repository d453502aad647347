#pragma once
#include <string>

#include "lib/store/prediction.hpp"
#include "lib/store/views.hpp"
#include "lib/text/json_writer.hpp"

namespace gleaner::api {

[[nodiscard]] std::string campaign_path(grid::CampaignId id);

/// The fields of a campaign, into an object that is open.
void write_campaign(text::JsonWriter& json, const store::views::Campaign& campaign);
/// The same for what it does on one cluster.
void write_campaign_cluster(text::JsonWriter& json, const store::views::CampaignCluster& cluster);
/// When it starts and ends, with the intervals, into an object that is open.
void write_forecast(text::JsonWriter& json, const store::views::Forecast& forecast);
/// A forecast of its history, into an object that is open.
void write_kept_forecast(text::JsonWriter& json, const store::KeptForecast& forecast);
/// A brake or null.
void write_brake(text::JsonWriter& json, const std::optional<store::views::Brake>& brake);

}  // namespace gleaner::api
