#pragma once
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "sim/world/administrator.hpp"
#include "sim/world/clusters.hpp"
#include "sim/world/database.hpp"
#include "sim/world/users.hpp"

/// Promises of features that users order, judged by what the executors saw. Each returns what broke them.
namespace gleaner::world {

/// The jobs that an administrator gave up: the grid counts them no longer, and they may run on.
[[nodiscard]] std::set<std::int64_t> given_up_jobs(WorldDatabase& database);

/// No more licences are in use at once than the grid has.
[[nodiscard]] std::vector<std::string> exceeded_licences(WorldDatabase& database, Clusters& clusters, double most);
/// Nothing is planned for a cluster that a user has turned off, but tasks that are bound to it.
[[nodiscard]] std::vector<std::string> broken_edits(WorldDatabase& database, Clusters& clusters, const std::vector<Edit>& edits);

/// Arrays that were too large for a web server, and were sent again as they were.
[[nodiscard]] std::vector<std::string> repeated_arrays(WorldDatabase& database);

/// Tasks that follow others (after_each), and began where those did not run; where those ran on a cluster that was retired, they may begin
/// anywhere.
[[nodiscard]] std::vector<std::string> strayed_followers(WorldDatabase& database, Clusters& clusters, const std::vector<Edit>& edits,
                                                         const std::vector<Withdrawal>& withdrawals);

/// Campaigns that wait, long after they were submitted, and of which nothing says for what.
[[nodiscard]] std::vector<std::string> unexplained_waits(WorldDatabase& database, grid::Instant before);

}  // namespace gleaner::world
