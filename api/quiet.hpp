#pragma once
#include <optional>

#include "api/call.hpp"
#include "lib/store/health.hpp"
#include "lib/store/views.hpp"

namespace gleaner::api {

/// Since when nothing is planned or forecast.
struct Quiet {
  std::optional<grid::Instant> standstill;
  store::Lapses lapses;
};
[[nodiscard]] Quiet quiet_of(const Call& call, store::Transaction& transaction);

/// Forecasts do not come true while the grid is idle or plans nothing; old ones are obsolete.
void forget_forecast(store::views::Campaign& campaign, const Quiet& quiet);

}  // namespace gleaner::api
