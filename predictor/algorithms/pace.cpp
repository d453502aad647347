#include "predictor/algorithms/pace.hpp"

#include <algorithm>

namespace gleaner::prediction {
namespace {

/// Seconds between the ends of two jobs on one core, whatever a cluster showed: the second one waits for OAR, or for a cycle of the grid.
constexpr double kShortestStart = 2;
/// Jobs that OAR starts a second on one cluster (docs/measured.md).
constexpr double kOarStarts = 3;
/// Seconds of a task in a pool: its job claims it, and notes its end.
constexpr double kShortestPooled = 0.05;
/// Tasks of one launch, and a pair has one launch a cycle.
constexpr double kMostOfLaunch = 4000;

}  // namespace

double least_start(const Pace& pace) { return std::max(kShortestStart, pace.start_cost.value_or(kShortestStart)); }

double most_tasks_a_second(const Pace& pace) {
  if (!(pace.slots > 0.0)) return 0.0;
  const double held = least_start(pace) + (pace.pool ? pace.pool->duration : 0.0);
  const double jobs = std::min({pace.slots / held, pace.per_cycle / pace.cycle, kOarStarts});
  if (!pace.pool) return jobs;
  const double each = std::max(1.0, pace.pool->workers * pace.pool->duration / std::max(kShortestPooled, pace.pool->task));
  return std::min(jobs * each, kMostOfLaunch / pace.cycle);
}

}  // namespace gleaner::prediction
