#pragma once
#include <string>
#include <vector>

#include "sim/world/clusters.hpp"
#include "sim/world/database.hpp"

/// Promises about what comes before what, by the executors' records. Each returns what broke them.
namespace gleaner::world {

/// No task of a campaign begins on a cluster before its prologue there has ended, or between its epilogue and the next prologue; no
/// epilogue begins while one of its tasks is carried out there.
[[nodiscard]] std::vector<std::string> misplaced_scripts(WorldDatabase& database, Clusters& clusters);
/// No task begins before those are done that it comes after; judged of the campaigns that come after one of the name kNameOfBefore.
[[nodiscard]] std::vector<std::string> premature_tasks(WorldDatabase& database, Clusters& clusters);
/// A task that failed was carried out to an end with an error at most once more often than its campaign says retries; judged of the tasks
/// that no user has given back.
[[nodiscard]] std::vector<std::string> failures_beyond_retries(WorldDatabase& database, Clusters& clusters,
                                                               const std::vector<std::int64_t>& given_back);

}  // namespace gleaner::world
