#pragma once
#include <optional>

#include "updator/poll.hpp"

/// OAR submits some jobs again itself. The second run finds the claim of the first, and runs nothing: the first one's record shows how the
/// job ended. Pure functions, as in judge.hpp.
namespace gleaner::updator {

/// OAR's id of the run in which the job claimed its attempt, if it is an earlier one. Empty: it is not, or nobody knows.
[[nodiscard]] std::optional<grid::RemoteJobId> earlier_run_of(const store::LiveJob& job, const grid::Evidence& evidence, const Poll& poll);

/// OAR's record of that run, if it shows that the run is over: it was preempted or deleted, reached its walltime or ended. Null: nobody
/// knows. After any other failure OAR gave up a launch that began all the same, and the run may go on.
[[nodiscard]] const oar::JobDetails* record_of_earlier_run(const store::LiveJob& job, const grid::Evidence& evidence, const Poll& poll);

}  // namespace gleaner::updator
