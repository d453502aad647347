#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "lib/grid/states.hpp"
#include "lib/grid/time.hpp"
#include "sim/gridsim/engine/nodes.hpp"

namespace gleaner::gridsim {

enum class JobState { submitting, waiting, launching, running, ended };

using grid::JobEnd;

/// One of the grid's jobs, from its plan to its end, as the clusters know it; the grid may know less.
struct Job {
  int campaign = 0;  ///< in Scenario::campaigns
  int pair = 0;      ///< in its clusters
  int cluster = 0;
  std::int64_t task = 0;
  int attempt = 0;
  JobState state = JobState::submitting;
  std::optional<JobEnd> end;
  bool superseded = false;  ///< true: its end changed nothing, because another job of its task was done first
  grid::Instant planned{};
  grid::Instant queued{};                ///< accepted by the cluster
  std::optional<grid::Instant> held;     ///< it holds resources: OAR's start time
  std::optional<grid::Instant> started;  ///< its command runs
  grid::Instant ended{};
  double duration = 0;  ///< seconds that it runs here, its walltime ignored
  int width = 1;
  std::int64_t tasks = 1;  ///< tasks that it carries out, one after the other
  bool being_killed = false;
  Shares shares;
};

/// Resources that are taken (delta > 0) or released on a cluster.
struct UsageChange {
  grid::Instant time;
  int cluster;
  int campaign;  ///< kLocal: the cluster's own jobs
  int delta;
};
inline constexpr int kLocal = -1;

}  // namespace gleaner::gridsim
