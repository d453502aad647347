#include "updator/updator.hpp"

#include <fmt/format.h>

#include <mutex>

#include "lib/fleet/fleet.hpp"
#include "lib/process/failpoint.hpp"
#include "lib/process/log.hpp"
#include "updator/apply.hpp"

namespace gleaner::updator {
namespace {

bool is_due(const store::Cluster& cluster, grid::Instant now) { return !cluster.next_probe_at || *cluster.next_probe_at <= now; }

/// A cluster that was lost is asked one small question before all the others.
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

/// Nothing when the cluster could not be polled.
std::optional<Changes> update(fleet::Visit& visit) {
  if (const auto answered = probe(visit); !answered) {
    fleet::note_unreachable(visit, oar::describe(answered.error()));
    return std::nullopt;
  }
  std::vector<store::LiveJob> live;
  visit.database.transact([&](store::Transaction& transaction) { live = store::live_jobs(transaction, visit.cluster.id); });
  if (live.empty() && !visit.cluster.enabled) return Changes{};
  const auto poll = poll_cluster(visit, live);
  if (!poll) {
    fleet::note_unreachable(visit, oar::describe(poll.error()));
    return std::nullopt;
  }
  process::failpoint("updator.before_write");
  Changes changes;
  visit.database.transact([&](store::Transaction& transaction) { changes = apply_poll(transaction, visit, live, *poll); });
  process::failpoint("updator.after_write");
  return changes;
}

}  // namespace

std::string Counts::summary() const {
  return fmt::format("clusters={} unreachable={} observed={} ended={} followed={} absent={} finished={}", clusters, unreachable, observed, ended,
                     followed, absent, finished);
}

Counts run_once(const process::Config& config, store::Database& database, store::Term term) {
  Counts counts;
  std::mutex mutex;
  fleet::SharedDatabase shared{database, term};
  std::vector<store::Cluster> clusters;
  shared.transact([&](store::Transaction& transaction) { clusters = store::clusters(transaction); });
  std::erase_if(clusters, [&](const store::Cluster& cluster) { return !is_due(cluster, fleet::now()); });
  fleet::visit_clusters(config, shared, store::Database::Work::update, clusters, [&](fleet::Visit& visit) {
    const auto changes = update(visit);
    const std::lock_guard lock{mutex};
    ++counts.clusters;
    if (changes) add(counts, *changes);
    else ++counts.unreachable;
  });
  shared.transact([&](store::Transaction& transaction) {
    for (const auto campaign : store::finish_campaigns(transaction, fleet::now())) {
      process::log::info("campaign terminated", {{"campaign", campaign}});
      ++counts.finished;
    }
  });
  return counts;
}

}  // namespace gleaner::updator
