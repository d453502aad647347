#pragma once
#include <string>

#include "lib/grid/id.hpp"
#include "lib/store/database.hpp"

/// Campaigns that do not end unless somebody acts.
namespace gleaner::store {

struct Stuck {
  std::string why;        ///< and what to do, as in `it waits for campaign 12, which was cancelled: …`; empty: it may end
  bool may_pass = false;  ///< it goes on without its user: when a cluster is enabled again, or has the resources that its jobs need
};

/// Why a live campaign does not end unless somebody acts: max_fails paused it; what it waits for was cancelled, deleted, has failed tasks,
/// or cannot end itself; none of its clusters takes its tasks, has resources for one, or has a token of its user that works; its epilogue
/// cannot run. It may end if its user paused it, or something of it is in flight. Clusters that do not answer, and brakes, are waited for.
/// Cost: O(its waiting tasks) where those wait task by task, else a few rows.
[[nodiscard]] Stuck cannot_end(Transaction& transaction, grid::CampaignId campaign);

}  // namespace gleaner::store
