#include "runner/reconcile.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "lib/process/log.hpp"
#include "lib/store/events.hpp"
#include "lib/store/launches.hpp"
#include "runner/command/command.hpp"

namespace gleaner::runner {
namespace {

constexpr std::chrono::seconds kOrphanPeriod{30};

class Search {
 public:
  Search(fleet::Visit& visit, Counts& counts) : visit_{visit}, counts_{counts}, now_{fleet::now()} {}

  void settle(const std::vector<store::UnsettledLaunch>& launches);

 private:
  [[nodiscard]] bool is_due(const store::UnsettledLaunch& launch) const;
  void settle_user(const std::string& login, const std::vector<store::UnsettledLaunch>& launches);
  void settle_one(const store::UnsettledLaunch& launch, const std::vector<oar::RemoteJob>& jobs);
  [[nodiscard]] bool is_void(const store::UnsettledLaunch& launch) const;
  void make_void(const store::UnsettledLaunch& launch);

  fleet::Visit& visit_;
  Counts& counts_;
  grid::Instant now_;
};

bool Search::is_due(const store::UnsettledLaunch& launch) const {
  return launch.state == grid::LaunchState::unknown || !launch.last_look_at || now_ - *launch.last_look_at >= kOrphanPeriod;
}

/// The time counts from when the whole cluster was last known to be healthy: a POST that hung on
/// OAR's data base is carried out when that is back.
bool Search::is_void(const store::UnsettledLaunch& launch) const {
  if (launch.state != grid::LaunchState::unknown || launch.looks + 1 < visit_.config.void_looks) return false;
  if (!visit_.cluster.healthy_since) return false;
  return now_ - std::max(launch.launching_at, *visit_.cluster.healthy_since) >= visit_.config.void_delay;
}

void Search::make_void(const store::UnsettledLaunch& launch) {
  const store::Target pair{.campaign = launch.campaign, .cluster = visit_.cluster.id};
  const auto& config = visit_.config;
  process::log::warning("launch void: its jobs never appeared", {{"cluster", visit_.cluster.name}, {"launch", launch.id}, {"tag", launch.tag}});
  visit_.database.transact([&](store::Transaction& transaction) {
    store::give_back(transaction, {.launch = launch.id, .state = grid::LaunchState::void_, .back = store::Back::same_cluster, .error = launch.error}, now_);
    const auto message = fmt::format("a submission was never carried out: {}", launch.error);
    store::open_event(transaction, {.code = "LAUNCH_LOST", .target = pair, .job = {}, .message = message}, now_);
    store::set_brake(transaction, pair, message,
                     {std::chrono::duration_cast<grid::Seconds>(config.brake_time), std::chrono::duration_cast<grid::Seconds>(config.brake_time_max)}, now_);
  });
}

void Search::settle_one(const store::UnsettledLaunch& launch, const std::vector<oar::RemoteJob>& jobs) {
  std::vector<store::AcceptedJob> found;
  std::optional<grid::RemoteJobId> array;
  for (const auto& job : jobs) {
    if (job.name != launch.tag) continue;
    const auto identity = read_command(job.command);
    if (!identity || identity->campaign != launch.campaign) continue;
    found.push_back({identity->job, job.id});
    if (job.array) array = job.array;
  }
  const std::array looked{launch.id};
  visit_.database.transact([&](store::Transaction& transaction) {
    if (!found.empty()) store::accept_launch(transaction, launch.id, found, array, now_);
    store::note_look(transaction, looked, now_);
  });
  if (!found.empty()) {
    process::log::info("jobs of a lost answer found", {{"cluster", visit_.cluster.name}, {"launch", launch.id}, {"jobs", found.size()}});
    counts_.found += static_cast<int>(found.size());
  }
  if (static_cast<int>(found.size()) < launch.jobs && is_void(launch)) make_void(launch);
}

void Search::settle_user(const std::string& login, const std::vector<store::UnsettledLaunch>& launches) {
  const auto first = std::ranges::min_element(launches, {}, &store::UnsettledLaunch::launching_at)->launching_at;
  const auto jobs = visit_.client.jobs_since(login, first);
  if (!jobs) {
    fleet::note_unreachable(visit_, oar::describe(jobs.error()));
    return;
  }
  for (const auto& launch : launches) settle_one(launch, *jobs);
}

void Search::settle(const std::vector<store::UnsettledLaunch>& launches) {
  std::map<std::string, std::vector<store::UnsettledLaunch>> by_user;
  for (const auto& launch : launches) {
    if (is_due(launch)) by_user[launch.login].push_back(launch);
  }
  for (const auto& [login, theirs] : by_user) settle_user(login, theirs);
}

}  // namespace

void reconcile(fleet::Visit& visit, Counts& counts) {
  std::vector<store::UnsettledLaunch> launches;
  visit.database.transact([&](store::Transaction& transaction) {
    const auto interrupted = store::interrupted_launches(transaction, visit.cluster.id);
    if (!interrupted.empty()) store::mark_unknown(transaction, interrupted, "the runner died before it had the answer");
    launches = store::unsettled_launches(transaction, visit.cluster.id, fleet::now() - kOrphanWatch);
  });
  Search{visit, counts}.settle(launches);
}

}  // namespace gleaner::runner
