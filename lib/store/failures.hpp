#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "lib/grid/id.hpp"
#include "lib/store/database.hpp"
#include "lib/store/jobs.hpp"

/// The failed tasks of a campaign by groups that failed alike: by the end of their last jobs, its cluster, its status, and the line of
/// stderr that the task left, numbers in it aside.
namespace gleaner::store {

/// After settle_jobs: groups those tasks that the verdicts have failed.
void group_failures(Transaction& transaction, std::span<const Verdict> verdicts);

struct FailureGroup {
  std::int64_t id = 0;
  grid::ClusterId cluster{0};
  std::string cluster_name;
  std::string ending;
  std::optional<int> exit_status;  ///< a wait status; empty: the command did not end the job
  std::string pattern;             ///< of its lines of stderr, with # for each number; empty: none is known
  std::string stderr_line;         ///< of its first task
  std::int64_t tasks = 0;          ///< that are failed now
  std::vector<grid::TaskNumber> first_tasks;
};
/// The largest first.
[[nodiscard]] std::vector<FailureGroup> failure_groups(Transaction& transaction, grid::CampaignId campaign);

/// Locks the campaign, and counts the failed tasks of a group of it, or all of its failed tasks. Empty: it has no such group.
[[nodiscard]] std::optional<std::int64_t> lock_failed_tasks(Transaction& transaction, grid::CampaignId campaign,
                                                            std::optional<std::int64_t> group);

}  // namespace gleaner::store
