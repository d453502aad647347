#include "updator/updator.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <mutex>
#include <optional>

#include "lib/fleet/fleet.hpp"
#include "lib/grid/launch_fate.hpp"
#include "lib/process/failpoint.hpp"
#include "lib/process/log.hpp"
#include "lib/store/batch.hpp"
#include "lib/store/calls.hpp"
#include "lib/store/chosen_tasks.hpp"
#include "lib/store/clock.hpp"
#include "lib/store/epochs.hpp"
#include "lib/store/events.hpp"
#include "lib/store/jobs.hpp"
#include "lib/store/launches.hpp"
#include "lib/store/tokens.hpp"
#include "updator/calls.hpp"
#include "updator/matching.hpp"
#include "updator/pools.hpp"
#include "updator/write.hpp"

namespace gleaner::updator {
namespace {

/// A probe due later than the longest interval was scheduled before the clock was set back.
bool is_due(const store::Cluster& cluster, grid::Instant now) {
  constexpr std::chrono::seconds kLongestWait{64};
  return !cluster.next_probe_at || *cluster.next_probe_at <= now || *cluster.next_probe_at > now + kLongestWait;
}

/// An unreachable cluster gets one small request before all others.
oar::Result<void> probe(fleet::Visit& visit) {
  if (visit.cluster.reachable.value_or(true)) return {};
  auto version = visit.client.version();
  if (!version) return tl::unexpected{version.error()};
  return {};
}

void add(Counts& counts, const Changes& changes) {
  counts.observed += changes.observed;
  counts.ended += changes.ended;
  counts.followed += changes.followed;
  counts.absent += changes.absent;
}

/// Whether OAR is about to free resources of our jobs.
bool is_ending(const Poll& poll) {
  return !poll.leaving.empty() ||
         std::ranges::any_of(poll.ours, [](const auto& job) { return job.second.state == oar::RemoteState::finishing; });
}

/// The poll answers the calls of the cluster before it, unless a job is ending; then it is polled again soon.
void answer_calls(store::Transaction& transaction, const fleet::Visit& visit, const store::CallsOfCluster& calls, const Poll& poll) {
  if (!calls.waits) return;
  if (is_ending(poll) && calls.called && poll.began - *calls.called < kEnding) store::call_again(transaction);
  else store::answer_calls(transaction, visit.cluster.id, poll.began);
}

/// Empty: the cluster could not be polled.
std::optional<Changes> update(fleet::Visit& visit, const store::CallsOfCluster& calls, const grid::Epochs& epochs) {
  if (const auto answered = probe(visit); !answered) {
    fleet::note_unreachable(visit, oar::describe(answered.error()));
    return std::nullopt;
  }
  std::vector<store::LiveJob> live;
  std::vector<store::Pool> pools;
  bool awaited = false;
  grid::Instant began;
  visit.database.transact([&](store::Transaction& transaction) {
    began = store::now(transaction);
    live = store::live_jobs(transaction, visit.cluster.id);
    pools = store::live_pools(transaction, visit.cluster.id);
    awaited = !live.empty() || !pools.empty() || store::awaits_launches(transaction, visit.cluster.id, began - grid::kOrphanWatch);
  });
  // A disabled cluster is polled while it may still have jobs of ours.
  if (!awaited && !visit.cluster.enabled) return Changes{};
  const auto poll = poll_cluster(visit, live, pools, epochs, began);
  if (!poll) {
    fleet::note_unreachable(visit, oar::describe(poll.error()));
    return std::nullopt;
  }
  const auto patience = Patience::of(visit.config);
  auto judged = judge(live, *poll, patience);
  auto judged_pools = judge_pools(pools, *poll, patience);
  std::ranges::move(judged_pools.over, std::back_inserter(judged.over));
  judged.claimed = std::move(judged_pools.claimed);
  judged.read = std::move(judged_pools.read);
  process::failpoint("updator.before_write");
  Changes changes;
  Unmatched unmatched;
  visit.database.transact([&](store::Transaction& transaction) {
    const auto now = store::now(transaction);
    changes = write(transaction, visit, *poll, judged, now);
    answer_calls(transaction, visit, calls, *poll);
    unmatched = unmatched_here(transaction, visit, now);
  });
  process::failpoint("updator.after_write");
  match_properties(visit, unmatched);
  return changes;
}

}  // namespace

std::string Counts::summary() const {
  return fmt::format("clusters={} unreachable={} observed={} ended={} followed={} absent={} finished={}", clusters, unreachable, observed,
                     ended, followed, absent, finished);
}

Counts run_once(const process::Config& config, store::Database& database, store::Term term) {
  Counts counts;
  std::mutex mutex;
  fleet::SharedDatabase shared{database, term};
  std::vector<store::Cluster> clusters;
  std::optional<grid::Epochs> epochs;
  std::vector<store::CallsOfCluster> calls;
  grid::Instant now;
  shared.transact([&](store::Transaction& transaction) {
    now = store::now(transaction);
    calls = store::calls(transaction);
    const auto ask = grid::packs_nodes(config) ? store::AskNodes::everywhere : store::AskNodes::where_needed;
    clusters = store::clusters_to_poll(transaction, ask);
    epochs = store::current_epochs(transaction, now);
  });
  const auto calls_of = [&](const store::Cluster& cluster) {
    const auto found = std::ranges::find(calls, cluster.id, &store::CallsOfCluster::cluster);
    return found == calls.end() ? store::CallsOfCluster{.cluster = cluster.id} : *found;
  };
  std::erase_if(clusters, [&](const store::Cluster& cluster) {
    return !is_due(cluster, now) || !is_polled(calls_of(cluster), calls, now, config.cycle_period, config.status_max_age);
  });
  fleet::visit_clusters(config, shared, store::Database::Work::update, clusters, [&](fleet::Visit& visit) {
    const auto changes = update(visit, calls_of(visit.cluster), *epochs);
    const std::lock_guard lock{mutex};
    ++counts.clusters;
    if (changes) add(counts, *changes);
    else ++counts.unreachable;
  });
  shared.transact([&](store::Transaction& transaction) {
    const auto at = store::now(transaction);
    for (const auto campaign : store::finish_campaigns(transaction, at)) {
      process::log::info("campaign terminated", {{"campaign", campaign}});
      ++counts.finished;
    }
    store::write_or_note(transaction, {}, "the end of blacklistings", at, [&] { store::close_expired_blacklistings(transaction, at); });
    if (const auto warned = store::warn_of_token_ends(transaction, at); warned > 0)
      process::log::warning("tokens end", {{"users", warned}});
    if (const auto paused = store::pause_failing_campaigns(transaction, at); paused > 0)
      process::log::warning("campaigns paused by their max_fails", {{"campaigns", paused}});
  });
  return counts;
}

}  // namespace gleaner::updator
