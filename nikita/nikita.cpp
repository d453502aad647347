#include "nikita/nikita.hpp"

#include <fmt/format.h>

#include <map>
#include <mutex>

#include "lib/fleet/fleet.hpp"
#include "lib/grid/campaign_folder.hpp"
#include "lib/process/failpoint.hpp"
#include "lib/process/log.hpp"
#include "lib/store/kills.hpp"
#include "lib/store/planning.hpp"
#include "nikita/excess.hpp"

namespace gleaner::nikita {
namespace {

/// A deletion that OAR noted may still be lost: it is asked for again.
constexpr std::chrono::seconds kResend{30};

/// The user's array, when all that is left of it goes in one request.
using Array = std::pair<std::string, grid::RemoteJobId>;

struct Deletions {
  std::map<Array, std::vector<grid::JobId>> arrays;
  std::vector<oar::JobOf> jobs;
  std::vector<grid::JobId> ids;  ///< of `jobs`
};

/// All live jobs of a cancelled campaign go, so its arrays can be deleted whole.
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

class Wiping {
 public:
  Wiping(fleet::Visit& visit, const store::PlanningCluster& status, const std::string& token) : visit_{visit}, status_{status}, token_{token} {}

  Counts run() {
    condemn();
    kill();
    clean();
    return counts_;
  }

 private:
  void condemn();
  void kill();
  void clean();
  void note_sent(std::span<const grid::JobId> jobs);

  fleet::Visit& visit_;
  const store::PlanningCluster& status_;
  const std::string& token_;
  Counts counts_;
};

void Wiping::condemn() {
  visit_.database.transact([&](store::Transaction& transaction) {
    const auto now = fleet::now();
    const Queue queue{.jobs = store::waiting_jobs(transaction, visit_.cluster.id),
                      .free_resources = status_.free,
                      .max_resources = status_.max_resources,
                      .flood = status_.flood};
    const auto wiped = to_wipe(queue, {.grace = visit_.config.waiting_grace, .timeout = visit_.config.remote_waiting_timeout}, now);
    store::request_kills(transaction, wiped.excess, store::KillReason::excess, now);
    store::request_kills(transaction, wiped.waited_too_long, store::KillReason::waited_too_long, now);
    counts_.wiped = static_cast<int>(wiped.excess.size() + wiped.waited_too_long.size());
  });
}

void Wiping::note_sent(std::span<const grid::JobId> jobs) {
  visit_.database.transact([&](store::Transaction& transaction) { store::note_kills_sent(transaction, jobs, fleet::now()); });
  counts_.sent += static_cast<int>(jobs.size());
}

void Wiping::kill() {
  std::vector<store::PendingKill> kills;
  visit_.database.transact(
      [&](store::Transaction& transaction) { kills = store::pending_kills(transaction, visit_.cluster.id, fleet::now() - kResend); });
  if (kills.empty()) return;
  process::failpoint("nikita.before_delete");
  const auto deletions = sort_deletions(kills);
  // Noted before it is sent: when the process dies in between, the end of the job is still known to be ours.
  for (const auto& [array, jobs] : deletions.arrays) {
    note_sent(jobs);
    const auto answer = visit_.client.remove_array(array.first, array.second);
    if (!answer) process::log::warning("array not deleted", {{"cluster", visit_.cluster.name}, {"array", array.second}, {"error", oar::describe(answer.error())}});
  }
  note_sent(deletions.ids);
  const auto answers = visit_.client.remove(deletions.jobs);
  for (std::size_t i = 0; i < answers.size(); ++i) {
    if (answers[i]) continue;
    ++counts_.not_sent;
    process::log::warning("job not deleted", {{"cluster", visit_.cluster.name}, {"remote", deletions.jobs[i].id}, {"error", oar::describe(answers[i].error())}});
  }
  process::failpoint("nikita.after_delete");
}

void Wiping::clean() {
  constexpr std::chrono::hours kOrphanWatch{1};
  std::vector<store::ToClean> campaigns;
  visit_.database.transact([&](store::Transaction& transaction) {
    const auto now = fleet::now();
    campaigns = store::campaigns_to_clean(transaction, visit_.cluster.id, now - visit_.config.cleanup_delay, now - kOrphanWatch);
  });
  for (const auto& campaign : campaigns) {
    const auto removed = visit_.client.delete_path(campaign.login, grid::campaign_folder(token_, campaign.campaign));
    const bool gone = removed || std::holds_alternative<oar::Refused>(removed.error());
    if (!gone) return;
    visit_.database.transact([&](store::Transaction& transaction) { store::note_cleaned(transaction, campaign.campaign, visit_.cluster.id, fleet::now()); });
    ++counts_.cleaned;
  }
}

}  // namespace

std::string Counts::summary() const { return fmt::format("wiped={} sent={} not_sent={} cleaned={}", wiped, sent, not_sent, cleaned); }

Counts run_once(const process::Config& config, store::Database& database, store::Term term) {
  Counts total;
  std::mutex mutex;
  fleet::SharedDatabase shared{database, term};
  std::map<grid::ClusterId, store::PlanningCluster> statuses;
  std::vector<store::Cluster> clusters;
  std::string token;
  shared.transact([&](store::Transaction& transaction) {
    const auto now = fleet::now();
    store::request_kills_of_cancelled(transaction, now);
    store::request_kills_of_superseded(transaction, now);
    clusters = store::clusters_to_wipe(transaction, now - config.cleanup_delay);
    for (auto& status : store::planning_clusters(transaction, {config.flood, config.array_size})) statuses.emplace(status.id, std::move(status));
    token = store::grid_token(transaction);
  });
  fleet::visit_clusters(config, shared, store::Database::Work::wipe, clusters, [&](fleet::Visit& visit) {
    const auto counts = Wiping{visit, statuses.at(visit.cluster.id), token}.run();
    const std::lock_guard lock{mutex};
    total.wiped += counts.wiped;
    total.sent += counts.sent;
    total.not_sent += counts.not_sent;
    total.cleaned += counts.cleaned;
  });
  return total;
}

}  // namespace gleaner::nikita
