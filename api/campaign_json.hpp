#pragma once
#include <string>

#include "lib/decisions/stored.hpp"
#include "lib/store/prediction.hpp"
#include "lib/store/views.hpp"
#include "lib/text/json_writer.hpp"

namespace gleaner::api {

[[nodiscard]] std::string campaign_path(grid::CampaignId id);

/// Writes the fields of a campaign into an open object.
void write_campaign(text::JsonWriter& json, const store::views::Campaign& campaign);
/// Writes who it is, its state and the counts of its tasks, as `write_campaign` does, into an open object.
void write_progress(text::JsonWriter& json, const store::views::Campaign& campaign);
/// Writes the fields of a campaign on one cluster into an open object.
void write_campaign_cluster(text::JsonWriter& json, const store::views::CampaignCluster& cluster);
/// Writes start and end, with their intervals, into an open object.
void write_forecast(text::JsonWriter& json, const store::views::Forecast& forecast);
/// Writes a forecast of the history into an open object.
void write_kept_forecast(text::JsonWriter& json, const store::KeptForecast& forecast);
/// Its sentence, advice and figures.
[[nodiscard]] decisions::Rendered rendered_decision(const store::views::Decision& decision);
/// Writes a brake, or null.
void write_brake(text::JsonWriter& json, const std::optional<store::views::Brake>& brake);

}  // namespace gleaner::api
