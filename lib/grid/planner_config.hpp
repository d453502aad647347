#pragma once
#include <chrono>
#include <string>

namespace gleaner::grid {

/// The policies, by name (docs/policies.md), and their figures. The members have the names of the options.
struct PlannerConfig {
  std::string campaign_order = "fifo";       ///< classes, then an order within them, such as "priority,fairshare"
  std::string placement = "power";           ///< which clusters a campaign gets first
  bool simultaneous = false;                 ///< several campaigns of one user take part at once
  std::string fairshare_usage = "absolute";  ///< how usage counts against a share: absolute or by_share
  std::string multifactor_weights = "age:1000,fairshare:1000,size:0,priority:1000,affinity:500";  ///< factors that are not named count 0
  std::chrono::milliseconds age_max = std::chrono::days{7};           ///< age from which a campaign's age counts in full
  int probe_jobs = 3;                                                 ///< jobs that go first to a cluster of which nothing is known
  std::chrono::milliseconds pool_duration = std::chrono::minutes{2};  ///< for which a job takes tasks, where a campaign groups them
  bool reservations = true;                                           ///< freed resources are held back for wide jobs
};

}  // namespace gleaner::grid
