#include "nikita/identify.hpp"

#include <map>

#include "lib/grid/job_identity.hpp"
#include "lib/process/log.hpp"

namespace gleaner::nikita {

std::vector<store::PendingKill> ours_of(std::vector<store::PendingKill> kills, std::span<const oar::RemoteJob> listed) {
  std::map<grid::RemoteJobId, const oar::RemoteJob*> jobs;
  for (const auto& job : listed) jobs.emplace(job.id, &job);
  std::erase_if(kills, [&](store::PendingKill& kill) {
    const auto found = jobs.find(kill.remote);
    if (found == jobs.end()) return true;
    const auto& job = *found->second;
    if (job.array != kill.array) kill.array.reset();
    return !grid::is_same_job(job.as(), {kill.tag, kill.login}, {kill.campaign, kill.task, kill.attempt, kill.job});
  });
  return kills;
}

oar::Result<std::vector<store::PendingKill>> still_ours(fleet::Visit& visit, std::vector<store::PendingKill> kills) {
  std::vector<grid::RemoteJobId> ids;
  for (const auto& kill : kills) ids.push_back(kill.remote);
  const auto listed = visit.client.jobs(ids);
  if (!listed) return tl::unexpected{listed.error()};
  const auto asked = kills.size();
  auto ours = ours_of(std::move(kills), *listed);
  if (ours.size() < asked)
    process::log::warning("jobs not deleted: they are not ours, or not there",
                          {{"cluster", visit.cluster.name}, {"jobs", asked - ours.size()}});
  return ours;
}

}  // namespace gleaner::nikita
