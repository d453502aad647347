#include "updator/earlier_run.hpp"

#include "lib/grid/job_identity.hpp"
#include "updator/classify.hpp"

namespace gleaner::updator {

std::optional<grid::RemoteJobId> earlier_run_of(const store::LiveJob& job, const grid::Evidence& evidence, const Poll& poll) {
  const auto found = poll.evidence.find(job.fence);
  return evidence.earlier && found != poll.evidence.end() && found->second ? found->second->run_of(job.id) : std::nullopt;
}

const oar::JobDetails* record_of_earlier_run(const store::LiveJob& job, const grid::Evidence& evidence, const Poll& poll) {
  const auto id = earlier_run_of(job, evidence, poll);
  const auto found = id ? poll.details.find(*id) : poll.details.end();
  if (found == poll.details.end()) return nullptr;
  const auto& [remote, run] = *found;
  if (!oar::is_over(run.job) || !grid::is_same_job(run.job.as(), {job.tag, job.login}, {job.campaign, job.task, job.attempt, job.id}))
    return nullptr;
  const auto end = remote_end(run.job, &run);
  switch (end ? end->record : grid::Record::failed) {
    case grid::Record::exited:
    case grid::Record::preempted:
    case grid::Record::walltime:
    case grid::Record::deleted: return &run;
    default: return nullptr;
  }
}

}  // namespace gleaner::updator
