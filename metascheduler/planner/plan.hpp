#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <tl/expected.hpp>

#include "lib/grid/id.hpp"
#include "metascheduler/planner/decision.hpp"
#include "metascheduler/planner/snapshot.hpp"

namespace gleaner::planner {

/// The policies, by name (docs/policies.md).
struct PlannerConfig {
  std::string order = "fifo";       ///< who goes first among campaigns of one type
  std::string placement = "power";  ///< which clusters a campaign gets first
};

/// Refuses an unknown policy, with the closest known name.
[[nodiscard]] tl::expected<void, std::string> check(const PlannerConfig& config);

[[nodiscard]] std::vector<std::string_view> order_names();
[[nodiscard]] std::vector<std::string_view> placement_names();

/// One submission to make: one array of jobs of one campaign on one cluster.
struct Launch {
  grid::CampaignId campaign;
  grid::ClusterId cluster;
  int jobs = 0;
  double resources = 0.0;  ///< that the plan counts for it
  int returned = 0;        ///< of the jobs, those for tasks that void launches on this cluster gave back
  bool operator==(const Launch&) const = default;
};

/// Tasks that void launches on a cluster gave back, and that need not wait for that cluster any
/// longer, as it is stopped: any cluster may be given them.
struct Release {
  grid::CampaignId campaign;
  grid::ClusterId cluster;
  bool operator==(const Release&) const = default;
};

struct Plan {
  std::vector<Launch> launches;     ///< in the order in which they are to be made
  std::vector<Release> releases;
  std::vector<Decision> decisions;  ///< one for each pair, or one for a whole campaign
};

/// Plans one cycle. Pure: the same snapshot gives the same plan, in whatever order its lists
/// are; the cost depends on the number of pairs, not of tasks.
/// Throws std::invalid_argument when the configuration does not pass check() or a pair names an
/// unknown campaign or cluster.
[[nodiscard]] Plan plan(const Snapshot& snapshot, const PlannerConfig& config = {});

}  // namespace gleaner::planner
