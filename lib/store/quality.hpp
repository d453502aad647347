#pragma once
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lib/grid/id.hpp"
#include "lib/grid/quality.hpp"
#include "lib/grid/time.hpp"
#include "lib/store/database.hpp"

/// How good the plans were: the tables plan_quality and forecast_quality, which triggers keep (sql/migrations/0007_quality.sql).
namespace gleaner::store {

/// The outcome of the jobs that a cycle sent for a campaign on a cluster, as the next cycle finds it.
struct RatioOutcome {
  grid::CampaignId campaign{0};
  grid::ClusterId cluster{0};
  std::string_view verdict;  ///< too_big, too_small or right; of static lifetime
  double offered = 0;        ///< resources
  int sent = 0;              ///< jobs
  int left_waiting = 0;      ///< of these jobs
  double left_free = 0;      ///< of these resources
};
/// Its part of the sums.
[[nodiscard]] grid::PlanFigures figures_of(const RatioOutcome& outcome);
/// Before the new ratios are written. Cost: one statement, for pairs that were sent jobs in the last cycle.
void note_ratios(Transaction& transaction, std::span<const RatioOutcome> outcomes, grid::Instant now);

/// The plans of one algorithm on one cluster for campaigns of one type.
struct PlanQuality {
  std::string cluster;
  std::string algorithm;  ///< empty: the first ratio, by the campaign's request
  std::string type;
  grid::PlanFigures figures;
};
/// The forecasts of the ends of campaigns by one method.
struct ForecastQuality {
  std::optional<std::string> cluster;  ///< empty: campaigns that ran on several clusters
  std::string method;
  grid::ForecastFigures figures;
};
struct Quality {
  std::vector<PlanQuality> plans;
  std::vector<ForecastQuality> forecasts;
};
/// For the jobs and campaigns that ended on the days from `from` to `to`, both included (UTC). Cost: O(rows of these days).
/// @param cluster  its name; empty: all
[[nodiscard]] Quality quality(Transaction& transaction, grid::Instant from, grid::Instant to, const std::optional<std::string>& cluster);

}  // namespace gleaner::store
