#include "updator/poll.hpp"

#include <algorithm>
#include <iterator>
#include <random>
#include <unordered_map>
#include <utility>

#include "lib/fleet/load.hpp"
#include "lib/grid/campaign_folder.hpp"
#include "lib/grid/clock.hpp"
#include "lib/grid/job_identity.hpp"
#include "lib/grid/resource_request.hpp"
#include "lib/process/log.hpp"
#include "lib/store/clusters.hpp"
#include "lib/text/clean.hpp"
#include "updator/judge.hpp"
#include "updator/pools.hpp"

namespace gleaner::updator {
namespace {

using Clock = grid::SteadyClock;

constexpr std::chrono::seconds kResourcesPeriod{60};
constexpr int kTailLines = 10;
/// Files of a pool that OAR lists as fast as those of other launches. It lists 12 000, of 4 000 tasks, in about a second, if it is idle.
constexpr std::int64_t kMostOfSmall = 1000;
constexpr std::size_t kTailBytes = std::size_t{64} << 10;

/// The resources of each node that jobs hold. OAR answers that to users only. Empty: nobody has a campaign there, or OAR cannot answer.
std::optional<std::map<std::string, int>> ask_held(fleet::Visit& visit) {
  std::optional<std::string> login;
  visit.database.transact([&](store::Transaction& transaction) { login = store::login_to_ask(transaction, visit.cluster.id); });
  if (!login) return std::nullopt;
  auto held = visit.client.held_by_node(*login);
  if (held) return std::move(*held);
  process::log::warning("held resources not known", {{"cluster", visit.cluster.name}, {"answer", oar::describe(held.error())}});
  return std::nullopt;
}

LoadReading ask_load(fleet::Visit& visit, const std::string& property, const oar::Resources& resources) {
  const bool by_node = visit.cluster.availability.value_or(visit.config.availability) == grid::Availability::combined;
  const auto held = by_node && !property.empty() ? ask_held(visit) : std::nullopt;
  LoadReading load{.unknown = fleet::why_load_is_unknown(property, resources), .held_known = held.has_value()};
  for (const auto& node : resources.nodes) {
    if (node.alive == 0) continue;
    auto& use = load.nodes.emplace_back(grid::NodeUse{.configured = node.alive, .dedicated = 0, .load = node.load.value_or(0.0)});
    if (!held) continue;
    if (const auto known = held->find(node.name); known != held->end()) use.dedicated = known->second;
  }
  return load;
}

oar::Result<void> ask_resources(fleet::Visit& visit, Poll& poll) {
  const auto& asked_at = visit.cluster.resources_at;
  // A time after now was written before the clock was set back. Without any usable resource, each turn asks whether some are back.
  if (visit.cluster.max_resources > 0 && asked_at && *asked_at <= poll.began && poll.began - *asked_at < kResourcesPeriod &&
      visit.cluster.reachable.value_or(false))
    return {};
  const auto property = fleet::load_property(visit.cluster, visit.config);
  auto resources = visit.client.resources(property.value_or(""), visit.cluster.memory_property);
  // A cluster that cannot give the properties of its resources is used nevertheless.
  if (!resources && property && !property->empty()) {
    poll.load = LoadReading{.unknown = fmt::format("the properties of its resources cannot be read ({})", oar::describe(resources.error())),
                            .failed = true};
    resources = visit.client.brief_resources();
  }
  if (!resources) return tl::unexpected{resources.error()};
  poll.usable_resources = resources->usable();
  poll.out = *resources;
  poll.reserved = resources->reserved;
  poll.reserved_nodes = resources->reserved_nodes;
  poll.others = resources->others;
  poll.levels = std::move(resources->levels);
  if (!visit.cluster.memory_property.empty()) {
    poll.memory.emplace();
    for (const auto& node : resources->nodes) poll.memory->add(node.resources, node.memory.value_or(0));
  }
  for (const auto& node : resources->nodes) poll.nodes.add(node.resources);
  if (property && !poll.load) poll.load = ask_load(visit, *property, *resources);
  poll.listed = std::move(resources->nodes);
  if (auto reservations = visit.client.reservations()) poll.reservations = std::move(*reservations);
  else process::log::warning("reservations not known", {{"cluster", visit.cluster.name}, {"answer", oar::describe(reservations.error())}});
  return {};
}

/// The resources of each node that jobs hold, where that counts. Asked for in the turn of the jobs' list, so that both are of one time.
void ask_holds(fleet::Visit& visit, Poll& poll) {
  if (!visit.cluster.login_for_nodes) return;
  auto holds = visit.client.free_by_node(*visit.cluster.login_for_nodes);
  if (holds) poll.holds = std::move(*holds);
  else process::log::warning("free nodes not known", {{"cluster", visit.cluster.name}, {"answer", oar::describe(holds.error())}});
}

/// The resources of a job are charged to its user on the whole grid, so one cluster's word is believed up to ten times of those that are
/// usable there: jobs may hold more, as their nodes are drained or fail meanwhile.
void forget_unbelievable(const fleet::Visit& visit, const Poll& poll, std::vector<oar::RemoteJob>& jobs) {
  constexpr std::int64_t kTimes = 10, kLeast = 100;
  const auto most = kTimes * std::max<std::int64_t>(poll.usable_resources.value_or(visit.cluster.max_resources), kLeast);
  int forgotten = 0;
  for (auto& job : jobs) {
    if (!job.resources || *job.resources <= most) continue;
    job.resources.reset();
    ++forgotten;
  }
  if (forgotten > 0) process::log::warning("jobs hold more than the cluster has", {{"cluster", visit.cluster.name}, {"jobs", forgotten}});
}

oar::Result<void> ask_jobs(fleet::Visit& visit, const std::vector<store::LiveJob>& live, Poll& poll) {
  auto occupation = visit.client.occupation();
  if (!occupation) return tl::unexpected{occupation.error()};
  poll.occupying = std::move(occupation->jobs);
  forget_unbelievable(visit, poll, poll.occupying);
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
    forget_unbelievable(visit, poll, *found);
    join_occupying(poll, *found);
    listed.insert(listed.end(), std::make_move_iterator(found->begin()), std::make_move_iterator(found->end()));
  }
  recognise(poll, live, std::move(listed));
  return {};
}

Clock::time_point end_of(const fleet::Visit& visit, std::chrono::milliseconds time) { return std::min(Clock::now() + time, visit.ends); }

/// Requests the parts of a list, a few at a time, until the time is over or `ask` returns false. At least one part is requested. `ask`
/// receives the part and all that follows it, and may sort the rest anew.
template <class Item, class Ask>
void ask_in_time(const fleet::Visit& visit, std::span<Item> items, Clock::time_point end, Ask ask) {
  const auto part = static_cast<std::size_t>(std::max(fleet::limits_of(visit.config).parallel, 1));
  while (!items.empty()) {
    const auto now = items.first(std::min(part, items.size()));
    items = items.subspan(now.size());
    if (!ask(now, items) || Clock::now() >= end) return;
  }
}

bool is_missing(const oar::Failure& failure) {
  constexpr int kNotFound = 404;
  const auto* const refused = std::get_if<oar::Refused>(&failure);
  return refused != nullptr && refused->status == kNotFound;
}

/// Finds the jobs that we settled among those that occupy resources. Their commands name candidates; the database says which of these we
/// submitted, under which id and login: everybody can give a name and a command of ours to a job.
void find_leaving(fleet::Visit& visit, Poll& poll) {
  std::vector<grid::JobId> named;
  for (const auto& job : poll.occupying) {
    if (poll.ours.contains(job.id)) continue;
    if (const auto identity = grid::read_command(job.command)) named.push_back(identity->job);
  }
  if (named.empty()) return;
  std::vector<store::SubmittedJob> submitted;
  visit.database.transact(
      [&](store::Transaction& transaction) { submitted = store::submitted_jobs(transaction, visit.cluster.id, named); });
  std::map<grid::RemoteJobId, const store::SubmittedJob*> by_id;
  for (const auto& one : submitted) by_id.emplace(one.remote, &one);
  for (const auto& job : poll.occupying) {
    const auto found = by_id.find(job.id);
    if (found == by_id.end() || poll.ours.contains(job.id)) continue;
    const auto& one = *found->second;
    if (grid::is_same_job(job.as(), {one.tag, one.login}, one.job)) poll.leaving.insert(job.id);
  }
}

/// The runs whose evidence is wanted, by fence.
using Runs = std::map<grid::LaunchId, std::vector<oar::RunOf>>;

/// Reads the folders of fences. A folder that OAR does not find is empty, unless the whole home is missing: an unmounted file system must
/// not look like jobs that never began.
class EvidenceReader {
 public:
  EvidenceReader(fleet::Visit& visit, const grid::Epochs& epochs, const Runs& runs, Clock::time_point end)
      : visit_{visit}, client_{visit.client.access(), fleet::file_limits_of(visit.config)}, epochs_{epochs}, runs_{runs}, end_{end} {}

  /// False: no request was answered.
  bool read(std::span<const FenceToRead> fences, Poll& poll) {
    std::vector<oar::FenceOf> folders;
    for (const auto& fence : fences) {
      const auto runs = runs_.find(fence.fence);
      folders.push_back({{fence.login, grid::fence_folder(epochs_, fence.campaign, fence.fence)},
                         runs == runs_.end() ? std::vector<oar::RunOf>{} : runs->second});
    }
    const auto time = std::chrono::ceil<std::chrono::milliseconds>(std::max(end_ - Clock::now(), Clock::duration{0}));
    const auto answers = client_.evidence(folders, time);
    bool answered = false;
    for (std::size_t i = 0; i < fences.size(); ++i) {
      if (answers[i] || std::holds_alternative<oar::Refused>(answers[i].error())) answered = awake_[fences[i].login] = true;
      else silent_.insert(fences[i].login);
      poll.evidence.emplace(fences[i].fence, reading_of(answers[i], fences[i].login));
      if (!answers[i] && oar::is_of_identity(answers[i].error())) poll.without_identity.insert(fences[i].login);
      if (!answers[i]) continue;
      poll.unread.insert(answers[i]->unread.begin(), answers[i]->unread.end());
      poll.unreadable.insert(answers[i]->unreadable.begin(), answers[i]->unreadable.end());
    }
    answered_ = answered_ || answered;
    return answered;
  }

  /// Reads a folder that takes OAR long to list, if the home has answered in this turn, or answers a small request.
  void read_large(const FenceToRead& fence, Poll& poll) {
    const auto [known, is_new] = awake_.try_emplace(fence.login, false);
    if (is_new) {
      const auto ours = client_.find_folder(fence.login, grid::campaign_folder(epochs_, fence.campaign));
      known->second = ours || std::holds_alternative<oar::Refused>(ours.error());
    }
    answered_ = answered_ || known->second;
    if (!known->second) {
      poll.evidence.try_emplace(fence.fence, tl::unexpected{std::string{"the home does not answer"}});
      return;
    }
    auto names = visit_.client.list_folder(fence.login, grid::fence_folder(epochs_, fence.campaign, fence.fence));
    poll.evidence.emplace(
        fence.fence,
        reading_of(std::move(names).map([](auto&& all) { return oar::Traces{std::forward<decltype(all)>(all)}; }), fence.login));
  }

  /// True while the login's home has answered in this turn.
  [[nodiscard]] bool answers(const FenceToRead& fence) const { return !silent_.contains(fence.login); }
  /// True once any home has answered.
  [[nodiscard]] bool has_answer() const { return answered_; }

 private:
  Reading reading_of(const oar::Result<oar::Traces>& traces, const std::string& login) {
    if (traces) return grid::EvidenceIndex{traces->names};
    if (!is_missing(traces.error())) return tl::unexpected{oar::describe(traces.error())};
    const auto [known, is_new] = homes_.try_emplace(login);
    if (is_new) known->second = what_is_wrong_with_home(login);
    if (known->second) return tl::unexpected{*known->second};
    return grid::EvidenceIndex{std::vector<std::string>{}};
  }

  std::optional<std::string> what_is_wrong_with_home(const std::string& login) {
    const auto ours = client_.find_folder(login, grid::grid_folder(epochs_.all().front().token));
    if (ours) return std::nullopt;
    if (!is_missing(ours.error())) return oar::describe(ours.error());
    const auto home = client_.find_folder(login, "~/.");
    if (home) return std::nullopt;
    return oar::describe(home.error());
  }

  fleet::Visit& visit_;
  oar::Client client_;  ///< waits for an answer for 2 s at most
  const grid::Epochs& epochs_;
  const Runs& runs_;
  Clock::time_point end_;
  std::map<std::string, bool> awake_;                        ///< by login that was asked: its home answers
  std::map<std::string, std::optional<std::string>> homes_;  ///< by login: the error of its home; empty: it is readable
  std::set<std::string> silent_;                             ///< logins with an unanswered request
  bool answered_ = false;
};

/// Folders of large pools, which take OAR long: one after the other, where the home answers at all, until the time is over, and one at
/// least. Each turn has them in another order, so that none that takes all of the time keeps the others from being read.
void ask_large(EvidenceReader& reader, std::vector<FenceToRead> fences, Poll& poll, Clock::time_point end) {
  if (fences.empty()) return;
  std::ranges::shuffle(fences, std::mt19937_64{static_cast<std::uint64_t>(poll.began.time_since_epoch().count())});
  for (const auto& fence : fences) {
    reader.read_large(fence, poll);
    if (Clock::now() >= end) return;
  }
}

/// A home that stalls costs one request's time limit: the rest of its login's folders come after all others. If no home answers, the
/// folders not yet requested count as unreadable; if some do, they stay unread.
void ask_evidence(fleet::Visit& visit, std::vector<FenceToRead> wanted, const Runs& runs, const grid::Epochs& epochs, Poll& poll,
                  std::chrono::milliseconds time) {
  if (wanted.empty()) return;
  const auto end = end_of(visit, time);
  EvidenceReader reader{visit, epochs, runs, end};
  const auto patience = fleet::file_limits_of(visit.config).read;
  const auto large = std::ranges::stable_partition(wanted, [](const FenceToRead& fence) { return fence.files <= kMostOfSmall; });
  ask_in_time(visit, std::span{wanted.begin(), large.begin()}, end, [&](std::span<FenceToRead> part, std::span<FenceToRead> rest) {
    const bool answered = reader.read(part, poll);
    std::ranges::stable_partition(rest, [&](const FenceToRead& fence) { return reader.answers(fence); });
    return answered || Clock::now() + patience <= end;
  });
  ask_large(reader, {large.begin(), large.end()}, poll, end);
  if (reader.has_answer()) return;
  for (const auto& fence : wanted) poll.evidence.try_emplace(fence.fence, tl::unexpected{std::string{"no home on the cluster answers"}});
}

void ask_tails(fleet::Visit& visit, const std::vector<TailToRead>& wanted, Poll& poll, const GatherTimes& times) {
  ask_in_time(visit, std::span{wanted}, end_of(visit, times.tails), [&](std::span<const TailToRead> part, auto /*rest*/) {
    std::vector<oar::PathOf> files;
    for (const auto& tail : part) files.push_back({tail.login, tail.path});
    auto answers = visit.client.read_files(files, {.last_lines = kTailLines, .most_bytes = kTailBytes, .patience = times.one_tail});
    for (std::size_t i = 0; i < part.size(); ++i) {
      if (answers[i])
        poll.stderr_tails.emplace(part[i].job, text::clean_text(*answers[i], {.lines = text::Lines::kept, .keep = text::Keep::end}));
    }
    return true;
  });
}

void ask_details(fleet::Visit& visit, const std::vector<store::LiveJob>& live, Poll& poll, std::chrono::milliseconds time) {
  const auto wanted = errors_to_explain(live, poll, Patience::of(visit.config));
  ask_in_time(visit, std::span{wanted}, end_of(visit, time), [&](std::span<const oar::JobOf> part, auto /*rest*/) {
    auto answers = visit.client.details(part);
    for (std::size_t i = 0; i < part.size(); ++i) {
      if (answers[i]) poll.details.emplace(part[i].id, std::move(*answers[i]));
      else poll.unexplained.insert(part[i].id);
    }
    return true;
  });
}

/// Cores that a job of ours holds: OAR counts licences and other resources among those of a job.
std::optional<int> cores_of(const store::LiveJob& job, std::optional<int> resources) {
  if (!resources || job.request.empty()) return resources;
  const auto request = grid::ResourceRequest::parse(job.request);
  return request ? std::max(1, *resources - request->others()) : *resources;
}

}  // namespace

void recognise(Poll& poll, const std::vector<store::LiveJob>& live, std::vector<oar::RemoteJob> listed) {
  std::unordered_map<grid::RemoteJobId, const store::LiveJob*> by_id;
  for (const auto& job : live) by_id.emplace(job.remote, &job);
  for (auto& remote : listed) {
    const auto found = by_id.find(remote.id);
    if (found == by_id.end()) continue;
    const auto& job = *found->second;
    const bool is_ours = grid::is_same_job(remote.as(), {job.tag, job.login}, {job.campaign, job.task, job.attempt, job.id});
    if (is_ours && grid::is_renamed(remote.name, job.tag)) poll.renamed.insert(remote.id);
    remote.resources = cores_of(job, remote.resources);
    if (is_ours) poll.ours.emplace(remote.id, std::move(remote));
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

oar::Result<Poll> poll_cluster(fleet::Visit& visit, const std::vector<store::LiveJob>& live, std::span<const store::Pool> pools,
                               const grid::Epochs& epochs, grid::Instant began, const GatherTimes& times) {
  Poll poll{.began = began};
  if (auto asked = ask_resources(visit, poll); !asked) return tl::unexpected{asked.error()};
  if (auto asked = ask_jobs(visit, live, poll); !asked) return tl::unexpected{asked.error()};
  ask_holds(visit, poll);
  find_leaving(visit, poll);
  poll.latency_ms = static_cast<int>(visit.client.slowest_latency().count());
  auto fences = fences_to_read(live, poll, Patience::of(visit.config));
  for (auto& fence : fences_of(pools)) {
    const auto known = std::ranges::find(fences, fence.fence, &FenceToRead::fence);
    if (known == fences.end()) fences.push_back(std::move(fence));
    else known->files = std::max(known->files, fence.files);
  }
  const auto runs = runs_to_read(live, poll, Patience::of(visit.config));
  ask_evidence(visit, std::move(fences), runs, epochs, poll, times.evidence);
  auto tails = tails_to_read(live, poll);
  std::ranges::move(pooled_tails_to_read(pools, poll), std::back_inserter(tails));
  ask_tails(visit, tails, poll, times);
  ask_details(visit, live, poll, times.details);
  return poll;
}

}  // namespace gleaner::updator
