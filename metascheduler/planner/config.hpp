#pragma once
#include <string>

#include <tl/expected.hpp>

#include "lib/grid/planner_config.hpp"

namespace gleaner::planner {

using grid::PlannerConfig;

/// Refuses an unknown policy, with the closest known name, and figures that cannot be read.
[[nodiscard]] tl::expected<void, std::string> check(const PlannerConfig& config);

/// Facts that the policies of a configuration read from a snapshot, besides clusters, campaigns, pairs and limits.
struct Needs {
  bool shares = false;      ///< users, with their priorities and usage, and the tree of shares
  bool affinities = false;  ///< PairView::has_affinity
};
/// Throws std::invalid_argument when the configuration does not pass check().
[[nodiscard]] Needs needs_of(const PlannerConfig& config);

}  // namespace gleaner::planner
