#pragma once
#include <functional>
#include <optional>
#include <vector>

#include "sim/gridsim/engine/grid_cycle.hpp"
#include "sim/gridsim/engine/job.hpp"
#include "sim/gridsim/engine/scenario.hpp"

namespace gleaner::gridsim {

/// The result of one campaign of the scenario.
struct CampaignOutcome {
  bool submitted = false;
  std::int64_t done = 0;
  std::int64_t failed = 0;
  std::optional<double> ended;                 ///< seconds, when the grid recorded its end
  std::vector<store::KeptForecast> forecasts;  ///< of its end
};

/// The complete record of a simulation.
struct Outcome {
  double end = 0;         ///< seconds that were simulated
  bool complete = false;  ///< true: all campaigns are over
  bool stopped = false;   ///< true: it was stopped before its end
  std::vector<Job> jobs;
  std::vector<UsageChange> usage;
  std::vector<LocalWait> local_waits;
  std::vector<double> awake;  ///< node-seconds of each cluster
  std::vector<PairCycle> cycles;
  std::int64_t cycle_count = 0;
  RatioFigures ratios;
  std::vector<CampaignOutcome> campaigns;
  std::vector<std::vector<double>> durations;  ///< of each campaign's tasks, at speed 1
};

/// The longest duration of a scenario without `length`.
inline constexpr double kLongestRun = 31.0 * 86400;

/// Asked before each event, by the seconds that were simulated; false: the simulation stops there.
using GoesOn = std::function<bool(double simulated)>;

/// Simulates a scenario. The outcome is deterministic, and the same on every machine, unless it is stopped.
/// @param goes_on  empty: always
[[nodiscard]] Outcome simulate(const Scenario& scenario, const GoesOn& goes_on = {});

/// The clusters with their local jobs alone, without the grid, until `end` seconds.
[[nodiscard]] Outcome simulate_local(const Scenario& scenario, double end);

}  // namespace gleaner::gridsim
