#include "runner/recover.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "lib/grid/campaign_folder.hpp"
#include "lib/grid/evidence.hpp"
#include "lib/grid/job_identity.hpp"
#include "lib/process/log.hpp"
#include "lib/store/batch.hpp"
#include "lib/store/clock.hpp"
#include "lib/store/epochs.hpp"
#include "lib/store/events.hpp"
#include "lib/text/numbers.hpp"

namespace gleaner::runner {
namespace {

/// How far the clocks of the machines may differ.
constexpr std::chrono::minutes kClocks{10};
/// The size limit of the file of a pool, which has 4 000 tasks at most.
constexpr std::size_t kMostOfPool = std::size_t{16} << 20;
/// The limit of each list in the event: a user may submit as many jobs as the cluster takes.
constexpr std::size_t kMostSaid{10};
/// The claim in a job's name and owner. Everybody can read names in OAR, and give them to jobs of their own.
using Claim = std::tuple<grid::LaunchId, grid::CampaignId, std::string>;

class Recovery {
 public:
  Recovery(fleet::Visit& visit, const grid::Epochs& epochs, grid::Instant since, grid::Instant now)
      : visit_{visit}, epochs_{epochs}, since_{since}, now_{now} {}

  [[nodiscard]] bool run();

 private:
  /// False: the cluster did not answer.
  [[nodiscard]] bool read_login(const std::string& login);
  void add(const std::string& login, const oar::RemoteJob& job);
  void leave_out_known();
  /// Jobs of a login that the campaign's user has not there, and a launch's second owner.
  void leave_out_unproven();
  void leave_out(const store::UnknownLaunch& launch, const std::string& why);
  [[nodiscard]] bool read_pools();
  static bool is_whole(std::string_view list);
  void add_pool(store::UnknownLaunch& launch, const std::string& list);
  [[nodiscard]] std::optional<grid::LaunchId> fence_of(const store::UnknownLaunch& launch, std::string_view word) const;
  void write();

  fleet::Visit& visit_;
  const grid::Epochs& epochs_;
  grid::Instant since_;  ///< what the database knows ends here
  grid::Instant now_;
  std::map<Claim, store::UnknownLaunch> launches_;
  std::vector<std::string> unread_;    ///< what could not be read, and why
  std::vector<std::string> left_out_;  ///< whose jobs are not followed, and why
};

/// A part of the event's sentence.
std::string said_of(std::string_view what, std::span<const std::string> all) {
  if (all.empty()) return {};
  const auto shown = all.first(std::min(all.size(), kMostSaid));
  const auto more = all.size() > shown.size() ? fmt::format(", and {} more", all.size() - shown.size()) : std::string{};
  return fmt::format("; {}: {}{}", what, fmt::join(shown, ", "), more);
}

/// `<launch>` or `<launch>-<token>`. The own launch is no fence.
std::optional<grid::LaunchId> Recovery::fence_of(const store::UnknownLaunch& launch, std::string_view word) const {
  const auto number = text::whole_number(word.substr(0, word.find('-')), std::int64_t{1});
  if (!number || *number == launch.launch.value()) return std::nullopt;
  return grid::LaunchId{*number};
}

void Recovery::add(const std::string& login, const oar::RemoteJob& job) {
  const auto name = grid::read_tag(job.name);
  const auto identity = grid::identity_in(job.as(), {job.name, login});
  if (!name || !identity || identity->campaign != name->campaign || name->token != epochs_.of(name->launch)) return;
  // An id of the current epoch is another campaign now, and a launch of the current epoch is known.
  const auto& current = epochs_.all().back();
  if (name->campaign >= current.first_campaign || name->launch >= current.first_launch) return;
  auto& launch = launches_.try_emplace(Claim{name->launch, name->campaign, login}).first->second;
  launch.launch = name->launch;
  launch.campaign = name->campaign;
  launch.tag = job.name;
  launch.login = login;
  // OAR may have run a job more than once.
  for (const auto& known : launch.jobs) {
    if (known.job.job == identity->job) return;
  }
  launch.jobs.push_back({.job = *identity, .fence = fence_of(launch, grid::read_fence(job.command).value_or("")), .pooled = false});
}

bool Recovery::read_login(const std::string& login) {
  const auto jobs = visit_.client.jobs_since(login, fleet::now() - (now_ - since_) - kClocks);
  if (jobs) {
    for (const auto& job : *jobs) add(login, job);
    return true;
  }
  if (fleet::was_silent(jobs.error())) {
    fleet::note_unreachable(visit_, oar::describe(jobs.error()));
    return false;
  }
  unread_.push_back(fmt::format("the jobs of {} ({})", login, oar::describe(jobs.error())));
  return true;
}

void Recovery::leave_out_known() {
  std::vector<grid::LaunchId> ids;
  for (const auto& [claim, launch] : launches_) ids.push_back(launch.launch);
  std::set<grid::LaunchId> known;
  visit_.database.transact([&](store::Transaction& transaction) { known = store::known_launches(transaction, ids); });
  std::erase_if(launches_, [&](const auto& launch) { return known.contains(launch.second.launch); });
}

void Recovery::leave_out(const store::UnknownLaunch& launch, const std::string& why) {
  const auto jobs = launch.jobs.size() == 1 ? std::string{"1 job"} : fmt::format("{} jobs", launch.jobs.size());
  left_out_.push_back(fmt::format("launch {} ({} of {}, named as campaign {}'s, {})", launch.launch.value(), jobs, launch.login,
                                  launch.campaign.value(), why));
}

void Recovery::leave_out_unproven() {
  std::vector<const store::UnknownLaunch*> claimed;
  for (const auto& [claim, launch] : launches_) claimed.push_back(&launch);
  std::vector<bool> proven;
  visit_.database.transact(
      [&](store::Transaction& transaction) { proven = store::may_be_taken_over(transaction, visit_.cluster.id, claimed); });
  std::set<grid::LaunchId> taken;
  std::size_t place = 0;
  std::erase_if(launches_, [&](const auto& claim) {
    const auto& launch = claim.second;
    if (!proven[place++]) {
      leave_out(launch, "whose user has another login there");
      return true;
    }
    if (taken.insert(launch.launch).second) return false;
    leave_out(launch, "but another has this launch");
    return true;
  });
}

/// Whether it has its last line: an answer may be cut.
bool Recovery::is_whole(std::string_view list) { return list == ".\n" || list.ends_with("\n.\n"); }

void Recovery::add_pool(store::UnknownLaunch& launch, const std::string& list) {
  std::string_view rest{list};
  while (!rest.empty()) {
    const auto line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(line.size() + 1, rest.size()));
    const auto identity = grid::read_pool_line(launch.campaign, line);
    if (!identity) continue;  // the last line
    std::string_view fence = line;
    for (int word = 0; word < 3; ++word) fence.remove_prefix(std::min(fence.find(' ') + 1, fence.size()));
    launch.jobs.push_back({.job = *identity, .fence = fence_of(launch, fence.substr(0, fence.find(' '))), .pooled = true});
  }
}

bool Recovery::read_pools() {
  std::vector<store::UnknownLaunch*> launches;
  std::vector<oar::PathOf> files;
  for (auto& [claim, launch] : launches_) {
    launches.push_back(&launch);
    files.push_back({launch.login, fmt::format("{}/{}", grid::fence_folder(epochs_, launch.campaign, launch.launch), grid::kPoolFile)});
  }
  const auto at_once = static_cast<std::size_t>(oar::Limits{}.parallel);
  const std::span<const oar::PathOf> all{files};
  for (std::size_t first = 0; first < files.size(); first += at_once) {
    if (visit_.time_left() <= process::Duration{0}) return false;
    const auto part = all.subspan(first, std::min(at_once, files.size() - first));
    const auto answers = visit_.client.read_files(part, {.most_bytes = kMostOfPool});
    for (std::size_t i = 0; i < part.size(); ++i) {
      constexpr int kNotFound = 404;
      if (answers[i]) {
        if (is_whole(*answers[i])) add_pool(*launches[first + i], *answers[i]);
        else unread_.push_back(fmt::format("{} (it is not whole)", part[i].path));
        continue;
      }
      const auto* const refused = std::get_if<oar::Refused>(&answers[i].error());
      if (refused != nullptr && refused->status == kNotFound) continue;  // it is no pool
      unread_.push_back(fmt::format("{} ({})", part[i].path, oar::describe(answers[i].error())));
    }
  }
  return true;
}

void Recovery::write() {
  int jobs = 0;
  int launches = 0;
  visit_.database.transact([&](store::Transaction& transaction) {
    jobs = launches = 0;
    // In their order: a fence is an earlier launch.
    for (const auto& [claim, launch] : launches_) {
      int written = 0;
      const store::Target target{.campaign = launch.campaign, .cluster = visit_.cluster.id};
      if (!store::write_or_note(transaction, target, fmt::format("launch {}, found after the restore", launch.launch.value()), now_,
                                [&, &found = launch] { written = store::take_over(transaction, visit_.cluster.id, found, since_, now_); }))
        continue;
      jobs += written;
      launches += written > 0 ? 1 : 0;
    }
    store::note_recovered(transaction, visit_.cluster.id);
    if (jobs == 0 && unread_.empty() && left_out_.empty()) return;
    store::open_event(transaction,
                      {.code = "DATABASE_RESTORED",
                       .target = {.campaign = {}, .cluster = visit_.cluster.id},
                       .job = {},
                       .message = fmt::format("after the restore, {} tasks of {} launches that were submitted to {} since the dump were "
                                              "found there, and their jobs are followed{}{}",
                                              jobs, launches, visit_.cluster.name, said_of("not read", unread_),
                                              said_of("not followed, so that tasks of theirs may run again", left_out_))},
                      now_);
  });
  process::log::info("cluster looked at after a restore", {{"cluster", visit_.cluster.name}, {"launches", launches}, {"tasks", jobs}});
}

bool Recovery::run() {
  std::vector<std::string> logins;
  visit_.database.transact([&](store::Transaction& transaction) { logins = store::logins_to_recover(transaction, visit_.cluster.id); });
  for (const auto& login : logins) {
    if (visit_.time_left() <= process::Duration{0} || !read_login(login)) return false;
  }
  leave_out_known();
  leave_out_unproven();
  if (!read_pools()) return false;
  write();
  return true;
}

}  // namespace

bool recover(fleet::Visit& visit, const grid::Epochs& epochs) {
  std::optional<grid::Instant> since;
  grid::Instant now;
  visit.database.transact([&](store::Transaction& transaction) {
    now = store::now(transaction);
    since = store::recover_from(transaction, visit.cluster.id);
  });
  return !since || Recovery{visit, epochs, *since, now}.run();
}

}  // namespace gleaner::runner
