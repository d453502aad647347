// How good the plans were.
#include <array>
#include <chrono>

#include "api/answers.hpp"
#include "api/limits.hpp"
#include "api/router.hpp"
#include "lib/store/quality.hpp"
#include "lib/terminal/quality_table.hpp"

namespace gleaner::api {
namespace {

/// No figure has the name of a user or of a campaign: everybody may read them.
http::Response report_quality(const Call& call) {
  constexpr std::int64_t kUsualDays = 7;
  constexpr std::int64_t kMostDays = 36'600;
  const auto days = number(call, "days", kUsualDays, {1, kMostDays}, " days, today included");
  if (!days) return days.error();
  std::optional<std::string> cluster;
  if (const auto named = call.request.parameter("cluster")) cluster = *named;
  const auto found = call.connections.read([&](store::Transaction& transaction) {
    return store::quality(transaction, call.now - std::chrono::days{*days - 1}, call.now, cluster);
  });
  std::vector<terminal::PlanLine> plans;
  for (const auto& one : found.plans) plans.push_back({one.cluster, one.algorithm, one.type, one.figures});
  std::vector<terminal::ForecastLine> forecasts;
  for (const auto& one : found.forecasts) forecasts.push_back({one.cluster.value_or(""), one.method, one.figures});
  text::JsonWriter json;
  json.object([&] {
    json.field("days", *days);
    terminal::write_quality(json, plans, forecasts);
  });
  return answer(json);
}

}  // namespace

std::span<const Route> quality_routes() {
  static constexpr std::array kRoutes{
      Route{"GET", "/v1/quality", Access::identified, report_quality, "days cluster", Etag::none},
  };
  return kRoutes;
}

}  // namespace gleaner::api
