#pragma once
#include <string>

#include "lib/grid/id.hpp"
#include "lib/store/database.hpp"

/// Campaigns that do not end unless somebody acts.
namespace gleaner::store {

/// Why a live campaign does not end unless somebody acts, and what to do, as in `it waits for campaign 12, which was cancelled: …`:
/// max_fails paused it; what it waits for was cancelled, deleted, has failed tasks, or cannot end itself; none of its clusters takes its
/// tasks; its epilogue cannot run. Empty: it may end, its user paused it, or something of it is in flight. Clusters that do not answer, and
/// brakes, are waited for. Cost: O(its waiting tasks) where those wait task by task, else a few rows.
[[nodiscard]] std::string cannot_end(Transaction& transaction, grid::CampaignId campaign);

}  // namespace gleaner::store
