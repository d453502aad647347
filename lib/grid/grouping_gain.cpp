#include "lib/grid/grouping_gain.hpp"

#include <algorithm>

namespace gleaner::grid {
namespace {

constexpr std::int64_t kEnoughJobs = 5;
constexpr std::int64_t kFewTasks = 50;
constexpr double kConsiderable = 2;  ///< times shorter
constexpr double kShortest = 0.001;  ///< seconds of a task

}  // namespace

std::optional<GroupingGain> gain_of_grouping(const StartCosts& costs, const Rest& rest, double pool) {
  if (costs.jobs < kEnoughJobs || rest.tasks < kFewTasks || rest.seconds <= 0) return std::nullopt;
  const auto jobs = static_cast<double>(costs.jobs);
  GroupingGain gain{.task = std::max(costs.command_seconds / jobs, kShortest), .job = costs.held_seconds / jobs, .end = rest.seconds};
  if (gain.job < kConsiderable * gain.task) return std::nullopt;
  const auto tasks = static_cast<double>(rest.tasks);
  const double cores = std::max(1.0, tasks * gain.job / rest.seconds);
  const double of_each = tasks / cores;
  const double tasks_per_job = std::max(1.0, std::min(pool / gain.task, of_each));
  gain.grouped = of_each * (gain.task + (gain.job - gain.task) / tasks_per_job);
  if (gain.grouped * kConsiderable > gain.end) return std::nullopt;
  return gain;
}

}  // namespace gleaner::grid
