#pragma once
#include <string>
#include <string_view>

#include "lib/jdl/campaign_file.hpp"
#include "lib/jdl/tree.hpp"

/// The scheduling keys of a campaign: campaign_priority, scheduler, min_duration, max_attempts, max_fails, retries, retry_on,
/// temporal_grouping, dimensional_grouping, notify.
namespace gleaner::jdl {

/// Reads one of these keys; false when the key is another.
bool read_scheduling_key(const Member& member, const std::string& path, Scheduling& into, Findings& findings);

[[nodiscard]] const std::vector<std::string_view>& scheduling_keys();

}  // namespace gleaner::jdl
