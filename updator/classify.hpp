#pragma once
#include <optional>
#include <span>
#include <string>

#include "lib/grid/states.hpp"
#include "lib/oar/job.hpp"
#include "lib/store/jobs.hpp"

namespace gleaner::updator {

/// Why a job that OAR calls Terminated is over: by its exit status alone. Status 66 and 67 ask for
/// a rerun, first and last (CiGri's convention).
[[nodiscard]] grid::JobEnd classify_terminated(const oar::RemoteJob& job);

/// Why a job in Error is over: by OAR's own events. `ours`: we had sent a DELETE for it.
enum class Deletion { none, ours };
[[nodiscard]] grid::JobEnd classify_error(std::span<const oar::RemoteEvent> events, Deletion deletion);

/// What a task may still cost.
struct RetryLimits {
  int attempts;  ///< all told, but for those that we took back before they began
  int charged;   ///< that the task itself failed
  double walltime_factor = 1;  ///< of its walltime, when a job was killed by it
};

/// What the end of a job does to its task.
struct Consequence {
  store::Outcome outcome;
  store::BagPlace place;
  std::optional<grid::Seconds> walltime = {};  ///< of the task from now on; nothing: as before
};
/// A walltime's end is not charged while the JDL's max_walltime lets the walltime grow: the task goes
/// back to the bag with a bigger one.
enum class Began { no, yes };
[[nodiscard]] Consequence consequence_of(grid::JobEnd end, Began began, const store::LiveJob& job, const RetryLimits& limits);

/// The walltime that follows the one by which the job was killed; nothing when it may not grow.
[[nodiscard]] std::optional<grid::Seconds> raised_walltime(const store::LiveJob& job, double factor);

/// One sentence for the user: `exit status 3`, `killed by its walltime`…
[[nodiscard]] std::string describe_end(grid::JobEnd end, const oar::RemoteJob& job);
/// The same of a walltime's end: the walltime, and what becomes of it.
[[nodiscard]] std::string describe_walltime(const store::LiveJob& job, const Consequence& consequence);

}  // namespace gleaner::updator
