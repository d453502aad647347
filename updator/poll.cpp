#include "updator/poll.hpp"

#include <algorithm>
#include <set>

#include "updator/classify.hpp"

namespace gleaner::updator {
namespace {

constexpr std::chrono::seconds kResourcesPeriod{60};
constexpr int kTailsPerCampaign = 3;
constexpr int kTailLines = 10;

oar::Result<void> ask_resources(fleet::Visit& visit, Poll& poll) {
  const auto& asked_at = visit.cluster.resources_at;
  if (asked_at && poll.began - *asked_at < kResourcesPeriod && visit.cluster.reachable.value_or(false)) return {};
  auto resources = visit.client.resources();
  if (!resources) return tl::unexpected{resources.error()};
  poll.usable_resources = resources->usable();
  return {};
}

oar::Result<void> ask_jobs(fleet::Visit& visit, const std::vector<store::LiveJob>& live, Poll& poll) {
  auto occupation = visit.client.occupation();
  if (!occupation) return tl::unexpected{occupation.error()};
  poll.occupying = std::move(occupation->jobs);
  poll.stress = occupation->stress;
  if (occupation->response) poll.response_ms = static_cast<int>(occupation->response->count());
  std::set<grid::RemoteJobId> wanted;
  for (const auto& job : live) wanted.insert(job.remote);
  for (const auto& job : poll.occupying) {
    if (wanted.erase(job.id) > 0) poll.ours.emplace(job.id, job);
  }
  if (wanted.empty()) return {};
  const std::vector<grid::RemoteJobId> others{wanted.begin(), wanted.end()};
  auto found = visit.client.jobs(others);
  if (!found) return tl::unexpected{found.error()};
  for (auto& job : *found) poll.ours.emplace(job.id, std::move(job));
  return {};
}

bool ended_badly(const oar::RemoteJob& job) {
  if (job.state == oar::RemoteState::error) return true;
  return job.state == oar::RemoteState::terminated && classify_terminated(job) == grid::JobEnd::task_error;
}

/// Of the jobs whose command failed only the first few of each campaign are looked at closer.
std::vector<oar::JobOf> to_look_at(const std::vector<store::LiveJob>& live, const Poll& poll) {
  std::vector<oar::JobOf> asked;
  std::map<grid::CampaignId, int> failed;
  for (const auto& job : live) {
    const auto found = poll.ours.find(job.remote);
    if (found == poll.ours.end() || !ended_badly(found->second)) continue;
    const bool error = found->second.state == oar::RemoteState::error;
    if (error || ++failed[job.campaign] <= kTailsPerCampaign) asked.push_back({job.login, job.remote});
  }
  return asked;
}

std::string path_of_stderr(const oar::JobDetails& details) {
  if (details.stderr_file.starts_with('/') || details.directory.empty()) return details.stderr_file;
  return details.directory + '/' + details.stderr_file;
}

void ask_details(fleet::Visit& visit, const std::vector<store::LiveJob>& live, Poll& poll) {
  const auto asked = to_look_at(live, poll);
  auto answers = visit.client.details(asked);
  std::map<grid::RemoteJobId, std::string> owners;
  for (std::size_t i = 0; i < asked.size(); ++i) {
    // A job whose events were not told is looked at again in the next cycle.
    if (answers[i]) poll.details.emplace(asked[i].id, std::move(*answers[i]));
    owners.emplace(asked[i].id, asked[i].user);
  }
  for (const auto& [id, details] : poll.details) {
    if (details.job.state != oar::RemoteState::terminated) continue;
    auto tail = visit.client.read_file(owners.at(id), path_of_stderr(details), kTailLines);
    if (tail) poll.stderr_tails.emplace(id, std::move(*tail));
  }
}

}  // namespace

oar::Result<Poll> poll_cluster(fleet::Visit& visit, const std::vector<store::LiveJob>& live) {
  Poll poll;
  poll.began = fleet::now();
  if (auto asked = ask_resources(visit, poll); !asked) return tl::unexpected{asked.error()};
  if (auto asked = ask_jobs(visit, live, poll); !asked) return tl::unexpected{asked.error()};
  poll.latency_ms = static_cast<int>(visit.client.slowest_latency().count());
  ask_details(visit, live, poll);
  return poll;
}

}  // namespace gleaner::updator
