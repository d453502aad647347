#pragma once
#include <cstdint>
#include <optional>

namespace gleaner::grid {

/// The costs of starts to a campaign: of some jobs of OAR with one task each, the sums of the times (in seconds) that their commands took,
/// as these noted it, and for which the jobs held their resources, by OAR's times.
struct StartCosts {
  std::int64_t jobs = 0;
  double command_seconds = 0;
  double held_seconds = 0;
};

/// The rest of a campaign, as it is forecast without pools.
struct Rest {
  std::int64_t tasks = 0;
  double seconds = 0;  ///< until its end
};

/// A campaign's gain by temporal_grouping, in seconds.
struct GroupingGain {
  double task = 0;     ///< mean duration of a task's command
  double job = 0;      ///< mean time for which its job holds the resources
  double end = 0;      ///< until the campaign's end
  double grouped = 0;  ///< until its end, if jobs took several tasks
};

/// Empty: too few jobs are measured, few tasks are left, or the gain is not considerable: jobs of less than twice their tasks, or an end
/// that is not reached in half of the time. The estimate keeps the cores that work for the campaign now, and gives each job as many tasks
/// as fill `pool` (seconds), or its part of the rest.
[[nodiscard]] std::optional<GroupingGain> gain_of_grouping(const StartCosts& costs, const Rest& rest, double pool);

}  // namespace gleaner::grid
