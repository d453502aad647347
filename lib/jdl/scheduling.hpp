#pragma once
#include <string>
#include <string_view>

#include "lib/jdl/campaign_file.hpp"
#include "lib/jdl/tree.hpp"

/// The keys of a campaign that say how it wants to be scheduled: campaign_priority, scheduler,
/// min_duration, max_attempts.
namespace gleaner::jdl {

/// Reads one of them; false when the key is none of them.
bool read_scheduling_key(const Member& member, const std::string& path, Scheduling& into, Findings& findings);

[[nodiscard]] const std::vector<std::string_view>& scheduling_keys();

}  // namespace gleaner::jdl
