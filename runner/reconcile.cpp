#include "runner/reconcile.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <utility>

#include "lib/grid/launch_fate.hpp"
#include "lib/process/log.hpp"
#include "lib/store/clock.hpp"
#include "lib/store/events.hpp"
#include "lib/store/launches.hpp"
#include "runner/limits.hpp"
#include "runner/one_launch.hpp"

namespace gleaner::runner {
namespace {

using store::UnsettledLaunch;

class Reconciliation {
 public:
  Reconciliation(fleet::Visit& visit, Counts& counts, grid::Instant now) : visit_{visit}, counts_{counts}, now_{now} {}

  /// False: the cluster did not answer.
  [[nodiscard]] bool settle(const std::vector<UnsettledLaunch>& launches);

 private:
  [[nodiscard]] grid::Search search_of(const UnsettledLaunch& launch) const;
  [[nodiscard]] grid::Looked looked_of(const UnsettledLaunch& launch, int adopted) const;
  [[nodiscard]] bool settle_user(const std::string& login, const std::vector<UnsettledLaunch>& launches);
  void settle_one(const UnsettledLaunch& launch, const std::vector<oar::RemoteJob>& jobs);
  void make_void(const UnsettledLaunch& launch);

  fleet::Visit& visit_;
  Counts& counts_;
  grid::Instant now_;  ///< the time of the database's clock
};

grid::Search Reconciliation::search_of(const UnsettledLaunch& launch) const {
  grid::Search search{.state = launch.state, .sent = !launch.tag.empty()};
  if (launch.last_look_at) search.since_look = now_ - *launch.last_look_at;
  if (launch.settled_at) search.since_settled = now_ - *launch.settled_at;
  return search;
}

/// The delay counts from the time when the whole cluster was last known to be healthy: OAR carries out a POST that hung on its database
/// when the database is back.
grid::Looked Reconciliation::looked_of(const UnsettledLaunch& launch, int adopted) const {
  grid::Looked looked{.state = launch.state, .missing = launch.missing - adopted, .looks = launch.looks + 1};
  if (visit_.cluster.healthy_since) looked.healthy = now_ - std::max(launch.unknown_at, *visit_.cluster.healthy_since);
  return looked;
}

void Reconciliation::make_void(const UnsettledLaunch& launch) {
  const store::Target pair{.campaign = launch.campaign, .cluster = visit_.cluster.id};
  process::log::warning("launch void: its jobs never appeared",
                        {{"cluster", visit_.cluster.name}, {"launch", launch.id}, {"tag", launch.tag}});
  visit_.database.transact([&](store::Transaction& transaction) {
    const store::GiveBack given{.launch = launch.id,
                                .from = grid::LaunchState::unknown,
                                .to = grid::LaunchState::void_,
                                .sent = grid::Sent::maybe,
                                .error = launch.error};
    if (!store::give_back(transaction, given, limits_of(visit_.config), now_)) return;
    const auto message = fmt::format("a submission was not carried out: {}", launch.error);
    store::open_event(transaction, {.code = "LAUNCH_LOST", .target = pair, .job = {}, .message = message}, now_);
    if (grid::void_brakes(launch.voids + 1)) store::set_brake(transaction, pair, message, brake_of(visit_.config), now_);
  });
}

void Reconciliation::settle_one(const UnsettledLaunch& launch, const std::vector<oar::RemoteJob>& jobs) {
  std::vector<grid::ListedJob> listed;
  std::map<grid::RemoteJobId, std::optional<grid::RemoteJobId>> arrays;
  for (const auto& job : jobs) {
    listed.push_back({.id = job.id, .as = job.as(), .over = oar::is_over(job)});
    arrays.emplace(job.id, job.array);
  }
  const auto found = grid::found_of(listed, {launch.tag, launch.login}, launch.campaign);
  const std::array looked{launch.id};
  int adopted = 0;
  visit_.database.transact([&](store::Transaction& transaction) {
    adopted = found.empty() ? 0 : store::adopt_jobs(transaction, launch.id, found, arrays.at(found.front().remote), now_);
    store::note_look(transaction, looked, now_);
  });
  if (adopted > 0)
    process::log::info("jobs of a lost answer found", {{"cluster", visit_.cluster.name}, {"launch", launch.id}, {"jobs", adopted}});
  counts_.found += adopted;
  const grid::LookPatience patience{.looks = visit_.config.void_looks, .delay = visit_.config.void_delay};
  const auto fate = grid::fate_of(looked_of(launch, adopted), patience);
  if (fate == grid::LaunchState::void_ && launch.state == grid::LaunchState::unknown) make_void(launch);
}

bool Reconciliation::settle_user(const std::string& login, const std::vector<UnsettledLaunch>& launches) {
  const auto first = std::ranges::min_element(launches, {}, &UnsettledLaunch::launching_at)->launching_at;
  // The client compares this host's clock with the cluster's, while the launch's age is by the database's.
  const auto jobs = visit_.client.jobs_since(login, fleet::now() - (now_ - first));
  if (!jobs) {
    fleet::note_unreachable(visit_, oar::describe(jobs.error()));
    return !fleet::was_silent(jobs.error());
  }
  for (const auto& launch : launches) for_one_launch(visit_, {launch.id, launch.campaign}, "settle", [&] { settle_one(launch, *jobs); });
  return true;
}

bool Reconciliation::settle(const std::vector<UnsettledLaunch>& launches) {
  std::map<std::string, std::vector<UnsettledLaunch>> by_user;
  for (const auto& launch : launches) {
    if (grid::to_look(search_of(launch))) by_user[launch.login].push_back(launch);
  }
  std::vector<std::pair<std::optional<grid::Instant>, std::string>> logins;
  for (const auto& [login, theirs] : by_user)
    logins.emplace_back(std::ranges::max(theirs, {}, &UnsettledLaunch::last_look_at).last_look_at, login);
  // A login whose list cannot be read has the oldest look. It comes last, so that it does not delay the others.
  std::ranges::sort(logins, std::greater<>{});
  for (const auto& [looked, login] : logins) {
    if (visit_.time_left() <= process::Duration{0}) return true;
    if (!settle_user(login, by_user.at(login))) return false;
  }
  return true;
}

}  // namespace

bool reconcile(fleet::Visit& visit, Counts& counts) {
  std::vector<UnsettledLaunch> launches;
  grid::Instant now;
  visit.database.transact([&](store::Transaction& transaction) {
    now = store::now(transaction);
    const auto interrupted = store::interrupted_launches(transaction, visit.cluster.id);
    if (!interrupted.empty()) store::mark_unknown(transaction, interrupted, "the runner died before it had the answer", now);
    launches = store::unsettled_launches(transaction, visit.cluster.id, now - grid::kOrphanWatch);
  });
  return Reconciliation{visit, counts, now}.settle(launches);
}

}  // namespace gleaner::runner
