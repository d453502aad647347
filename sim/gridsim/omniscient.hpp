#pragma once
#include <optional>
#include <span>
#include <vector>

#include "sim/gridsim/engine/job.hpp"
#include "sim/gridsim/engine/scenario.hpp"

namespace gleaner::gridsim {

/// The resources that an omniscient scheduler could have used at most, and until when.
struct Omniscient {
  double work = 0;        ///< resource-seconds (of a cluster of speed 1) used until `until`
  double until = 0;       ///< seconds: when all work is done, or the requested end
  bool complete = false;  ///< true: all work is done by `until`
};

/// An upper bound, which no scheduler reaches: jobs start when they are submitted (no start delay, rate or latency), move between clusters
/// and nodes at no cost, are divisible, and never compete with local jobs. At each instant a cluster does as many resource-seconds as the
/// largest set of whole jobs that fits into the resources free of local jobs: the largest sum, at most those free, of the widths of the
/// jobs of the campaigns submitted by then, each width at most as often as the campaign has tasks (integral packing: of 7 free resources,
/// jobs of 4 use 4). It is integrated over time, and cut to the work of the campaigns submitted by then. Widths of campaigns that a
/// scheduler would have finished earlier stay in the packing: which those are depends on the scheduler, and with them the result remains a
/// bound.
/// @param usage  usage by the local jobs alone, by time (simulate_local)
/// @param work   for each campaign, resource-seconds at speed 1; a campaign with 0 is ignored
[[nodiscard]] Omniscient omniscient(const Scenario& scenario, std::span<const UsageChange> usage, std::span<const double> work, double end);

/// Resource-seconds of each campaign at speed 1: its tasks' durations times the least width that they
/// take anywhere.
[[nodiscard]] std::vector<double> work_of(const Scenario& scenario, std::span<const std::vector<double>> durations);

/// The largest sum of widths, at most `free`, each width at most `tasks` times.
struct Width {
  int width = 1;
  std::int64_t tasks = 0;
  bool operator==(const Width&) const = default;
};
[[nodiscard]] int packed(int free, std::span<const Width> widths);

}  // namespace gleaner::gridsim
