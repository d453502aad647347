#include "updator/poll.hpp"

#include <algorithm>
#include <unordered_map>

#include "lib/grid/campaign_folder.hpp"
#include "lib/grid/job_identity.hpp"
#include "lib/grid/text.hpp"
#include "updator/judge.hpp"

namespace gleaner::updator {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::seconds kResourcesPeriod{60};
constexpr int kTailLines = 10;
constexpr std::size_t kTailBytes = std::size_t{64} << 10;

oar::Result<void> ask_resources(fleet::Visit& visit, Poll& poll) {
  const auto& asked_at = visit.cluster.resources_at;
  // A date after now is of a clock that was set back.
  if (asked_at && *asked_at <= poll.began && poll.began - *asked_at < kResourcesPeriod && visit.cluster.reachable.value_or(false)) return {};
  auto resources = visit.client.resources();
  if (!resources) return tl::unexpected{resources.error()};
  poll.usable_resources = resources->usable();
  for (const auto& node : resources->nodes) poll.nodes.add(node.resources);
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
  std::vector<oar::RemoteJob> listed;
  for (const auto& job : poll.occupying) {
    if (wanted.erase(job.id) > 0) listed.push_back(job);
  }
  if (!wanted.empty()) {
    const std::vector<grid::RemoteJobId> others{wanted.begin(), wanted.end()};
    auto found = visit.client.jobs(others);
    if (!found) return tl::unexpected{found.error()};
    join_occupying(poll, *found);
    listed.insert(listed.end(), std::make_move_iterator(found->begin()), std::make_move_iterator(found->end()));
  }
  recognise(poll, live, std::move(listed));
  return {};
}

/// Asks for parts of a list, a few at a time, until the time is over or none of a part is answered. At least one part is asked for.
template <class Item, class Ask>
void ask_in_time(const fleet::Visit& visit, std::span<const Item> items, std::chrono::milliseconds time, Ask ask) {
  const auto part = static_cast<std::size_t>(std::max(fleet::limits_of(visit.config).parallel, 1));
  const auto end = std::min(Clock::now() + time, visit.ends);
  while (!items.empty()) {
    const auto now = items.first(std::min(part, items.size()));
    items = items.subspan(now.size());
    if (!ask(now) || Clock::now() >= end) return;
  }
}

bool is_missing(const oar::Failure& failure) {
  constexpr int kNotFound = 404;
  const auto* const refused = std::get_if<oar::Refused>(&failure);
  return refused != nullptr && refused->status == kNotFound;
}

/// Reads the folders of fences. One that OAR does not find holds nothing, unless the whole home is not there: a file system that is not
/// mounted must not look like jobs that never began.
class EvidenceReader {
 public:
  EvidenceReader(fleet::Visit& visit, std::string grid_token) : visit_{visit}, grid_token_{std::move(grid_token)} {}

  /// False when the cluster answers nothing any more.
  bool read(std::span<const FenceToRead> fences, Poll& poll) {
    std::vector<oar::PathOf> folders;
    for (const auto& fence : fences) folders.push_back({fence.login, grid::fence_folder(grid_token_, fence.campaign, fence.fence)});
    const auto answers = visit_.client.list_folders(folders);
    bool answered = false;
    for (std::size_t i = 0; i < fences.size(); ++i) {
      answered = answered || answers[i] || std::holds_alternative<oar::Refused>(answers[i].error());
      poll.evidence.emplace(fences[i].fence, reading_of(answers[i], fences[i].login));
    }
    return answered;
  }

 private:
  Reading reading_of(const oar::Result<std::vector<std::string>>& names, const std::string& login) {
    if (names) return grid::EvidenceIndex{*names};
    if (!is_missing(names.error())) return tl::unexpected{oar::describe(names.error())};
    const auto [known, is_new] = homes_.try_emplace(login);
    if (is_new) known->second = what_is_wrong_with_home(login);
    if (known->second) return tl::unexpected{*known->second};
    return grid::EvidenceIndex{std::vector<std::string>{}};
  }

  std::optional<std::string> what_is_wrong_with_home(const std::string& login) {
    const auto ours = visit_.client.list_folder(login, "~/.gleaner/" + grid_token_);
    if (ours) return std::nullopt;
    if (!is_missing(ours.error())) return oar::describe(ours.error());
    const auto home = visit_.client.list_folder(login, "~/.");
    if (home) return std::nullopt;
    return oar::describe(home.error());
  }

  fleet::Visit& visit_;
  std::string grid_token_;
  std::map<std::string, std::optional<std::string>> homes_;  ///< by login: what is wrong with it
};

void ask_evidence(fleet::Visit& visit, const std::vector<store::LiveJob>& live, const std::string& grid_token, Poll& poll, std::chrono::milliseconds time) {
  const auto wanted = fences_to_read(live, poll, Patience::of(visit.config));
  EvidenceReader reader{visit, grid_token};
  ask_in_time(visit, std::span{wanted}, time, [&](std::span<const FenceToRead> part) { return reader.read(part, poll); });
}

void ask_tails(fleet::Visit& visit, const std::vector<store::LiveJob>& live, Poll& poll, const GatherTimes& times) {
  const auto wanted = tails_to_read(live, poll);
  ask_in_time(visit, std::span{wanted}, times.tails, [&](std::span<const TailToRead> part) {
    std::vector<oar::PathOf> files;
    for (const auto& tail : part) files.push_back({tail.login, tail.path});
    auto answers = visit.client.read_files(files, {.last_lines = kTailLines, .most_bytes = kTailBytes, .patience = times.one_tail});
    for (std::size_t i = 0; i < part.size(); ++i) {
      if (answers[i]) poll.stderr_tails.emplace(part[i].remote, grid::clean_text(*answers[i], {.lines = grid::Lines::kept, .keep = grid::Keep::end}));
    }
    return true;
  });
}

void ask_details(fleet::Visit& visit, const std::vector<store::LiveJob>& live, Poll& poll, std::chrono::milliseconds time) {
  const auto wanted = errors_to_explain(live, poll, Patience::of(visit.config));
  ask_in_time(visit, std::span{wanted}, time, [&](std::span<const oar::JobOf> part) {
    auto answers = visit.client.details(part);
    for (std::size_t i = 0; i < part.size(); ++i) {
      if (answers[i]) poll.details.emplace(part[i].id, std::move(*answers[i]));
    }
    return std::ranges::any_of(answers, [](const auto& answer) { return answer || std::holds_alternative<oar::Refused>(answer.error()); });
  });
}

}  // namespace

void recognise(Poll& poll, const std::vector<store::LiveJob>& live, std::vector<oar::RemoteJob> listed) {
  std::unordered_map<grid::RemoteJobId, const store::LiveJob*> by_id;
  for (const auto& job : live) by_id.emplace(job.remote, &job);
  for (auto& remote : listed) {
    const auto found = by_id.find(remote.id);
    if (found == by_id.end()) continue;
    const auto& job = *found->second;
    if (grid::is_same_job(remote.name, remote.command, job.tag, {job.campaign, job.task, job.attempt, job.id})) poll.ours.emplace(remote.id, std::move(remote));
    else poll.reused.insert(remote.id);
  }
}

void join_occupying(Poll& poll, std::span<const oar::RemoteJob> listed_by_id) {
  std::set<grid::RemoteJobId> known;
  for (const auto& job : poll.occupying) known.insert(job.id);
  for (const auto& job : listed_by_id) {
    if (oar::holds_resources(job.state) && known.insert(job.id).second) poll.occupying.push_back(job);
  }
}

oar::Result<Poll> poll_cluster(fleet::Visit& visit, const std::vector<store::LiveJob>& live, const std::string& grid_token, grid::Instant began, const GatherTimes& times) {
  Poll poll{.began = began};
  if (auto asked = ask_resources(visit, poll); !asked) return tl::unexpected{asked.error()};
  if (auto asked = ask_jobs(visit, live, poll); !asked) return tl::unexpected{asked.error()};
  for (const auto& job : poll.occupying) {
    if (!poll.ours.contains(job.id) && grid::is_launch_tag(job.name, grid_token)) poll.leaving.insert(job.id);
  }
  poll.latency_ms = static_cast<int>(visit.client.slowest_latency().count());
  ask_evidence(visit, live, grid_token, poll, times.evidence);
  ask_tails(visit, live, poll, times);
  ask_details(visit, live, poll, times.details);
  return poll;
}

}  // namespace gleaner::updator
