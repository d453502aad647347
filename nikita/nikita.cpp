#include "nikita/nikita.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>

#include "lib/fleet/fleet.hpp"
#include "lib/process/failpoint.hpp"
#include "lib/process/log.hpp"
#include "lib/store/clock.hpp"
#include "lib/store/epochs.hpp"
#include "lib/store/kills.hpp"
#include "lib/store/planning.hpp"
#include "nikita/checkpoint.hpp"
#include "nikita/excess.hpp"
#include "nikita/identify.hpp"
#include "nikita/purge.hpp"
#include "nikita/resent.hpp"
#include "nikita/withhold.hpp"

namespace gleaner::nikita {
namespace {

/// OAR may lose a deletion that it accepted, so it is sent again after this time.
constexpr std::chrono::seconds kResend{30};

/// An array of a login, deleted by one request if all its live jobs are to go.
using Array = std::pair<std::string, grid::RemoteJobId>;

struct Deletions {
  std::map<Array, std::vector<grid::JobId>> arrays;
  std::vector<oar::JobOf> jobs;
  std::vector<grid::JobId> ids;  ///< of `jobs`
};

/// Arrays of a cancelled campaign are deleted whole, because all its live jobs are to go.
Deletions sort_deletions(const std::vector<store::PendingKill>& kills) {
  Deletions deletions;
  for (const auto& kill : kills) {
    if (kill.reason == store::KillReason::cancelled && kill.array && kill.array_jobs > 1 && kill.sends == 0) {
      deletions.arrays[{kill.login, *kill.array}].push_back(kill.job);
    } else {
      deletions.jobs.push_back({kill.login, kill.remote});
      deletions.ids.push_back(kill.job);
    }
  }
  return deletions;
}

using fleet::was_silent;

class Wiping {
 public:
  Wiping(fleet::Visit& visit, const grid::ClusterFacts& status, const grid::Epochs& epochs)
      : visit_{visit}, status_{status}, epochs_{epochs} {}

  Counts run() {
    request_kills();
    kill();
    if (may_go_on()) counts_.signalled = request_checkpoints(visit_);
    if (may_go_on()) counts_.withheld = withhold(visit_, epochs_);
    counts_.cleaned = clean(visit_, epochs_);
    return counts_;
  }

 private:
  void request_kills();
  void kill();
  void kill_array(const Array& array, std::span<const grid::JobId> jobs);
  void kill_jobs(std::span<const oar::JobOf> jobs, std::span<const grid::JobId> ids);
  /// The jobs of which it was noted. The others must not be deleted: the end of such a job would be nobody's.
  [[nodiscard]] std::set<grid::JobId> note_sent(std::span<const grid::JobId> jobs);
  /// Whether the turn has time left, and the cluster answers.
  [[nodiscard]] bool may_go_on() const;

  fleet::Visit& visit_;
  const grid::ClusterFacts& status_;
  const grid::Epochs& epochs_;
  bool silent_ = false;                                                   ///< the last requests got no answer
  std::optional<std::pair<grid::RemoteJobId, std::string>> not_deleted_;  ///< the first one, and why
  Counts counts_;
};

void Wiping::request_kills() {
  visit_.database.transact([&](store::Transaction& transaction) {
    const auto now = store::now(transaction);
    const Queue queue{.jobs = store::waiting_jobs(transaction, visit_.cluster.id),
                      .free_resources = status_.free_for_grid(),
                      .max_resources = status_.max_resources,
                      .flood = status_.flood_for_grid()};
    const auto wiped = to_wipe(queue, {.grace = visit_.config.waiting_grace, .timeout = visit_.config.remote_waiting_timeout}, now);
    store::request_kills(transaction, wiped.excess, store::KillReason::excess, now);
    store::request_kills(transaction, wiped.waited_too_long, store::KillReason::waited_too_long, now);
    counts_.wiped = static_cast<int>(wiped.excess.size() + wiped.waited_too_long.size());
  });
}

std::set<grid::JobId> Wiping::note_sent(std::span<const grid::JobId> jobs) {
  std::vector<grid::JobId> noted;
  visit_.database.transact(
      [&](store::Transaction& transaction) { noted = store::note_kills_sent(transaction, jobs, store::now(transaction)); });
  counts_.sent += static_cast<int>(noted.size());
  return {noted.begin(), noted.end()};
}

void Wiping::kill() {
  std::vector<store::PendingKill> kills;
  visit_.database.transact([&](store::Transaction& transaction) {
    kills = store::pending_kills(transaction, visit_.cluster.id, store::now(transaction), kResend);
  });
  kills = resolve_resent(visit_, std::move(kills));
  if (kills.empty()) return;
  const auto asked = kills.size();
  auto ours = still_ours(visit_, std::move(kills));
  if (!ours) {
    silent_ = was_silent(ours.error());
    counts_.left += static_cast<int>(asked);
    return;
  }
  kills = std::move(*ours);
  counts_.foreign += static_cast<int>(asked - kills.size());
  process::failpoint("nikita.before_delete");
  const auto deletions = sort_deletions(kills);
  for (const auto& [array, jobs] : deletions.arrays) kill_array(array, jobs);
  // In parts of as many as the client has in flight, so that a hanging cluster costs the time limit of one request.
  const auto at_once = static_cast<std::size_t>(oar::Limits{}.parallel);
  for (std::size_t first = 0; first < deletions.jobs.size(); first += at_once) {
    const auto count = std::min(at_once, deletions.jobs.size() - first);
    kill_jobs(std::span{deletions.jobs}.subspan(first, count), std::span{deletions.ids}.subspan(first, count));
  }
  if (not_deleted_)
    process::log::warning(
        "jobs not deleted",
        {{"cluster", visit_.cluster.name}, {"jobs", counts_.not_sent}, {"first", not_deleted_->first}, {"error", not_deleted_->second}});
  if (counts_.left > 0) process::log::info("deletions left for the next turn", {{"cluster", visit_.cluster.name}, {"jobs", counts_.left}});
  process::failpoint("nikita.after_delete");
}

bool Wiping::may_go_on() const { return !silent_ && visit_.time_left() > process::Duration{0}; }

// Deletions are written before they are sent: if the process dies in between, the end of the job is still attributed to us.

void Wiping::kill_array(const Array& array, std::span<const grid::JobId> jobs) {
  if (!may_go_on()) {
    counts_.left += static_cast<int>(jobs.size());
    return;
  }
  if (note_sent(jobs).size() < jobs.size()) return;
  const auto answer = visit_.client.remove_array(array.first, array.second);
  if (answer) return;
  silent_ = was_silent(answer.error());
  process::log::warning("array not deleted",
                        {{"cluster", visit_.cluster.name}, {"array", array.second}, {"error", oar::describe(answer.error())}});
}

void Wiping::kill_jobs(std::span<const oar::JobOf> jobs, std::span<const grid::JobId> ids) {
  if (!may_go_on()) {
    counts_.left += static_cast<int>(jobs.size());
    return;
  }
  const auto noted = note_sent(ids);
  std::vector<oar::JobOf> to_delete;
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    if (noted.contains(ids[i])) to_delete.push_back(jobs[i]);
  }
  if (to_delete.empty()) return;
  const auto answers = visit_.client.remove(to_delete);
  silent_ = std::ranges::none_of(answers, [](const auto& answer) { return answer || !was_silent(answer.error()); });
  for (std::size_t i = 0; i < answers.size(); ++i) {
    if (answers[i]) continue;
    // One line a turn, whatever the number.
    if (counts_.not_sent++ == 0) not_deleted_ = {to_delete[i].id, oar::describe(answers[i].error())};
  }
}

}  // namespace

std::string Counts::summary() const {
  return fmt::format("wiped={} sent={} not_sent={} left={} foreign={} signalled={} withheld={} cleaned={} folders={} files={} purged={}",
                     wiped, sent, not_sent, left, foreign, signalled, withheld, cleaned.campaigns, cleaned.folders, cleaned.files, purged);
}

Counts run_once(const process::Config& config, store::Database& database, store::Term term) {
  Counts total;
  std::mutex mutex;
  fleet::SharedDatabase shared{database, term};
  std::map<grid::ClusterId, grid::ClusterFacts> statuses;
  std::vector<store::Cluster> clusters;
  std::optional<grid::Epochs> epochs;
  shared.transact([&](store::Transaction& transaction) {
    const auto now = store::now(transaction);
    store::request_kills_of_cancelled(transaction, now);
    store::request_kills_of_cancelled_tasks(transaction, now);
    store::request_kills_of_superseded(transaction, now);
    clusters = store::clusters_to_wipe(transaction, now - config.cleanup_delay);
    for (auto& status : store::planning_clusters(transaction, {config.flood, config.array_size, config.headroom, config.availability}))
      statuses.emplace(status.id, std::move(status));
    epochs = store::current_epochs(transaction, now);
  });
  fleet::visit_clusters(config, shared, store::Database::Work::wipe, clusters, [&](fleet::Visit& visit) {
    const auto counts = Wiping{visit, statuses.at(visit.cluster.id), *epochs}.run();
    const std::lock_guard lock{mutex};
    total.wiped += counts.wiped;
    total.sent += counts.sent;
    total.not_sent += counts.not_sent;
    total.left += counts.left;
    total.foreign += counts.foreign;
    total.signalled += counts.signalled;
    total.withheld += counts.withheld;
    total.cleaned.campaigns += counts.cleaned.campaigns;
    total.cleaned.folders += counts.cleaned.folders;
    total.cleaned.files += counts.cleaned.files;
  });
  total.purged = purge(shared);
  return total;
}

}  // namespace gleaner::nikita
