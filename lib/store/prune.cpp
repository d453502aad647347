#include "lib/store/prune.hpp"

#include <vector>

#include "lib/store/detail.hpp"

namespace gleaner::store {
namespace {

using detail::exec;

/// Repeats a deletion, each in its own transaction, until it deletes no row.
template <class Query>
std::int64_t delete_all(Database& database, const Query& query) {
  std::int64_t total = 0;
  std::int64_t deleted = 0;
  do {
    transact(database, std::nullopt, [&](Transaction& transaction) { deleted = exec(transaction, query).affected_rows(); });
    total += deleted;
  } while (deleted > 0);
  return total;
}

bool seal(Database& database, std::int64_t campaign, grid::Instant before) {
  bool sealed = false;
  transact(database, std::nullopt, [&](Transaction& transaction) {
    sealed = !exec(transaction, sql::prune_seal{.campaign = campaign, .ended_before = before}).empty();
  });
  return sealed;
}

void prune_campaign(Database& database, std::int64_t campaign, std::int64_t batch, Pruned& pruned) {
  pruned.jobs += delete_all(database, sql::prune_jobs{.campaign = campaign, .batch = batch});
  pruned.tasks += delete_all(database, sql::prune_tasks{.campaign = campaign, .batch = batch});
  delete_all(database, sql::prune_request_tasks{.campaign = campaign, .batch = batch});
  transact(database, std::nullopt, [&](Transaction& transaction) {
    exec(transaction, sql::prune_returned_tasks{.campaign = campaign});
    exec(transaction, sql::prune_campaign{.campaign = campaign});
  });
  ++pruned.campaigns;
}

}  // namespace

Pruned count_prunable(Transaction& transaction, grid::Instant before) {
  const auto row = exec(transaction, sql::prune_count{.ended_before = before})[0];
  return {*row.campaigns, *row.tasks, *row.jobs, *row.statuses, *row.cycles, *row.events, *row.forecasts, *row.acts};
}

Pruned prune(Database& database, grid::Instant before, std::int64_t batch) {
  std::vector<std::int64_t> campaigns;
  {
    auto transaction = database.begin();
    for (const auto& row : exec(transaction, sql::prune_campaigns{.ended_before = before})) campaigns.push_back(*row.id);
  }
  Pruned pruned;
  for (const auto campaign : campaigns) {
    if (seal(database, campaign, before)) prune_campaign(database, campaign, batch, pruned);
  }
  pruned.statuses = delete_all(database, sql::prune_statuses{.before = before, .batch = batch});
  pruned.cycles = delete_all(database, sql::prune_cycles{.before = before, .batch = batch});
  pruned.events = delete_all(database, sql::prune_events{.before = before, .batch = batch});
  pruned.forecasts = delete_all(database, sql::prune_forecasts{.before = before, .batch = batch});
  pruned.acts = delete_all(database, sql::prune_acts{.before = before, .batch = batch});
  return pruned;
}

}  // namespace gleaner::store
