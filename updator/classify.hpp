#pragma once
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
  int attempts;  ///< all told
  int charged;   ///< that the task itself failed
};

/// What the end of a job does to its task.
struct Consequence {
  store::Outcome outcome;
  store::BagPlace place;
};
[[nodiscard]] Consequence consequence_of(grid::JobEnd end, const store::LiveJob& job, const RetryLimits& limits);

/// One sentence for the user: `exit status 3`, `killed by its walltime`…
[[nodiscard]] std::string describe_end(grid::JobEnd end, const oar::RemoteJob& job);

}  // namespace gleaner::updator
