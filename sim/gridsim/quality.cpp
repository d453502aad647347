#include "sim/gridsim/quality.hpp"

#include <map>
#include <set>
#include <string>
#include <tuple>

namespace gleaner::gridsim {
namespace {

std::string_view type_of(const CampaignSpec& campaign) { return campaign.type == grid::CampaignType::test ? "test" : "default"; }

}  // namespace

grid::JudgedJob judged(const Job& job) {
  return {.end = *job.end,
          .sent = job.planned,
          .started = job.held,
          .ended = job.ended,
          .width = static_cast<double>(job.width),
          .saved = job.checkpoints.period > 0 ? saved_by(job) : 0};
}

PlanQuality quality_of(const Scenario& scenario, const Outcome& outcome) {
  std::map<std::tuple<std::string, std::string, std::string>, grid::PlanFigures> plans;
  std::map<std::pair<std::string, std::string>, grid::ForecastFigures> forecasts;
  std::vector<std::set<int>> places(scenario.campaigns.size());
  const auto name_of = [&](int cluster) { return scenario.clusters[static_cast<std::size_t>(cluster)].name; };
  for (const auto& job : outcome.jobs) {
    if (job.state != JobState::ended || !job.end) continue;
    places[static_cast<std::size_t>(job.campaign)].insert(job.cluster);
    if (job.pooled) continue;
    const auto& campaign = scenario.campaigns[static_cast<std::size_t>(job.campaign)];
    plans[{name_of(job.cluster), std::string{job.algorithm}, std::string{type_of(campaign)}}].count(judged(job));
  }
  // Campaigns of a scenario are seldom tests: the ratios are not distinguished by their types.
  for (const auto& [place, figures] : outcome.ratios) plans[{name_of(place.first), std::string{place.second}, "default"}] += figures;
  for (std::size_t i = 0; i < outcome.campaigns.size(); ++i) {
    const auto& campaign = outcome.campaigns[i];
    if (!campaign.ended) continue;
    const auto cluster = places[i].size() == 1 ? name_of(*places[i].begin()) : std::string{};
    for (const auto& forecast : campaign.forecasts)
      forecasts[{cluster, forecast.method}].count(forecast.made, forecast.end, forecast.end_between, instant_of(*campaign.ended));
  }
  PlanQuality quality;
  for (const auto& [place, figures] : plans) {
    quality.plans.push_back({std::get<0>(place), std::get<1>(place), std::get<2>(place), figures});
    quality.all_plans += figures;
  }
  for (const auto& [place, figures] : forecasts) {
    quality.forecasts.push_back({place.first, place.second, figures});
    quality.all_forecasts += figures;
  }
  return quality;
}

}  // namespace gleaner::gridsim
