#pragma once
#include <functional>
#include <string_view>

#include "lib/fleet/fleet.hpp"

namespace gleaner::runner {

struct LaunchOf {
  grid::LaunchId id{0};
  grid::CampaignId campaign{0};
};

/// Executes `work` for one launch. If it throws, the launch is set aside until the next turn, with an event (LAUNCH_FAILED) that names it
/// and the reason, and the others continue: false. Errors that concern all launches are thrown: the database cannot be reached, its schema
/// is another one, the lease is lost.
/// @param doing  a verb phrase for the event: `begin`, `write the answer to`…
bool for_one_launch(fleet::Visit& visit, const LaunchOf& launch, std::string_view doing, const std::function<void()>& work);

}  // namespace gleaner::runner
