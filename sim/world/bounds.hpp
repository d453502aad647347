#pragma once
#include <string>
#include <vector>

#include "sim/world/administrator.hpp"
#include "sim/world/clusters.hpp"
#include "sim/world/database.hpp"

/// Promises about what never exceeds its bound, and where nothing begins, whatever a campaign says. Each returns what broke them.
namespace gleaner::world {

/// Now: a task is carried out once at a time, with replicas twice; no campaign has more jobs than its max_jobs on a cluster; no limit is
/// exceeded; the headroom stays free. Scripts are never held back, and count for none of these.
[[nodiscard]] std::vector<std::string> exceeded_bounds(WorldDatabase& database, Clusters& clusters, const Administrator& administrator,
                                                       const Settings& settings);
/// Nothing is planned for a cluster while it is disabled or retired, or for a pair while a brake holds it.
[[nodiscard]] std::vector<std::string> planned_in_vain(WorldDatabase& database, const Administrator& administrator, grid::Instant now);

}  // namespace gleaner::world
