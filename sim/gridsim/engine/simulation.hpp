#pragma once
#include <optional>
#include <vector>

#include "sim/gridsim/engine/grid_cycle.hpp"
#include "sim/gridsim/engine/job.hpp"
#include "sim/gridsim/engine/scenario.hpp"

namespace gleaner::gridsim {

/// How a campaign of the scenario went.
struct CampaignOutcome {
  bool submitted = false;
  std::int64_t done = 0;
  std::int64_t failed = 0;
  std::optional<double> ended;  ///< seconds, when the grid knew that it is over
};

/// Everything that happened.
struct Outcome {
  double end = 0;         ///< seconds that were simulated
  bool complete = false;  ///< every campaign is over
  std::vector<Job> jobs;
  std::vector<UsageChange> usage;
  std::vector<PairCycle> cycles;
  std::int64_t cycle_count = 0;
  std::vector<CampaignOutcome> campaigns;
  std::vector<std::vector<double>> durations;  ///< of each campaign's tasks, at speed 1
};

/// The longest that a scenario without a `length` may last.
inline constexpr double kLongestRun = 31.0 * 86400;

/// Plays a scenario. The same scenario gives the same outcome, on every machine.
[[nodiscard]] Outcome simulate(const Scenario& scenario);

/// The use of the clusters by their local jobs alone, as if there were no grid, until `end` seconds.
[[nodiscard]] std::vector<UsageChange> simulate_local(const Scenario& scenario, double end);

}  // namespace gleaner::gridsim
