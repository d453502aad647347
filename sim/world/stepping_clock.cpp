#include "sim/world/stepping_clock.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace gleaner::world {

SteppingClock::SteppingClock(Faults& faults, std::string whose, const std::string& subject) : faults_{faults}, whose_{std::move(whose)} {
  constexpr double kLeast = 10;
  constexpr double kMost = 3600;
  Random random{faults.seed(), fmt::format("steps of the clock of {}", subject)};
  for (const auto& outage : faults.outages(Fault::clocks, subject)) {
    const auto seconds = static_cast<std::int64_t>(kLeast * std::pow(kMost / kLeast, random.fraction()));
    steps_.push_back({outage.begin, outage.end, std::chrono::seconds{random.chance(0.5) ? seconds : -seconds}});
  }
}

std::chrono::seconds SteppingClock::ahead(grid::Instant now) {
  const auto step = std::ranges::find_if(steps_, [&](const Step& one) { return one.begin <= now && now < one.end; });
  if (step == steps_.end()) return {};
  if (!std::exchange(step->is_seen, true)) faults_.count_clock(whose_);
  return step->ahead;
}

}  // namespace gleaner::world
