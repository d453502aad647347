#pragma once
#include <cstdint>
#include <deque>
#include <optional>
#include <string_view>
#include <vector>

#include "lib/grid/checkpoint.hpp"
#include "lib/grid/states.hpp"
#include "lib/grid/time.hpp"
#include "sim/gridsim/engine/nodes.hpp"

namespace gleaner::gridsim {

/// `pooled`: a further task of a pool, which no carrier has begun.
enum class JobState { submitting, waiting, launching, running, ended, pooled };

using grid::JobEnd;

/// The end of a carrier's own task. The carrier may hold its resources longer.
struct OwnEnd {
  grid::Instant at;
  JobEnd end;
};

inline constexpr int kNone = -1;

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
  double duration = 0;                     ///< seconds that it runs here, its walltime ignored
  grid::CheckpointedRun checkpoints = {};  ///< period 0: its task writes none
  double signal_margin = 0;                ///< seconds between OAR's own signal and the end (grid::margin_before_end)
  double continues_from = 0;               ///< seconds of its task's work, here, that are in a checkpoint when it begins
  double io_mb_s = 0;                      ///< that its task reads and writes while nothing slows it down
  double work = 0;                         ///< seconds that its command takes then
  double work_left = 0;                    ///< of these, at work_at
  grid::Instant work_at{};                 ///< when the load of its file server changed last
  double most_seconds = 0;                 ///< after which its walltime ends it
  int width = 1;
  std::int64_t tasks = 1;  ///< tasks that it carries out, one after the other
  double starts = 1;       ///< jobs of OAR that it stands for
  bool being_killed = false;
  std::string_view algorithm = {};      ///< of the ratio by which it was planned; empty: the first ratio
  std::optional<grid::Instant> warned;  ///< when it was signalled for a checkpoint, because its resources go to others
  Shares shares;
  Avoided avoided = {};  ///< nodes that its launch leaves empty
  double woke = 0;       ///< seconds for which it waits for nodes that slept
  // In a pool, a launch with more tasks than jobs of OAR:
  int pool = kNone;               ///< in World::pools
  bool pooled = false;            ///< it is no job of OAR: one of the pool's carriers carries it out
  int carrier = kNone;            ///< of a pooled one that began
  std::vector<int> carries = {};  ///< of a carrier: the pooled jobs that it carries out now
  int failures = 0;               ///< of a carrier: tasks in a row that failed
  std::optional<OwnEnd> own_end;  ///< of a carrier
};

/// Seconds of its task's work, beyond `continues_from`, that a job left in a checkpoint when it ended without success. OAR signals before a
/// preemption, and before the walltime; what the job does after that is lost, as OAR repeats the signal, and it may do nothing but write.
[[nodiscard]] double saved_by(const Job& job);

/// A launch whose jobs, the carriers, take further tasks (docs/architecture/pools.md).
struct Pool {
  double duration = 0;        ///< seconds for which a carrier takes tasks
  bool side_by_side = false;  ///< as many at a time as it has cores
  std::vector<int> carriers;
  std::deque<int> tasks;  ///< pooled jobs that no carrier has begun
};

/// The start of a cluster's own job, after it waited.
struct LocalWait {
  int cluster;
  double seconds;
  double at;  ///< its start, in seconds since the beginning
  int resources;
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
