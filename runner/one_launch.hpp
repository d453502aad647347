#pragma once
#include <functional>
#include <string_view>

#include "lib/fleet/fleet.hpp"

namespace gleaner::runner {

struct LaunchOf {
  grid::LaunchId id{0};
  grid::CampaignId campaign{0};
};

/// Does something with one launch. When that fails, the launch is set aside until the next turn, with an event (LAUNCH_FAILED) that
/// names it and says why, and the others go on: false. What fails for all of them passes: the database cannot be reached, its schema is
/// another one, the lease is lost.
/// @param doing  for the event: `begin`, `write the answer of`…
bool for_one_launch(fleet::Visit& visit, const LaunchOf& launch, std::string_view doing, const std::function<void()>& work);

}  // namespace gleaner::runner
