#include "lib/store/prune.hpp"

#include <vector>

#include "lib/store/detail.hpp"

namespace gleaner::store {
namespace {

using detail::exec;
using detail::micros;

/// Repeats a deletion, each in its own transaction, until it finds nothing more.
template <class... Arguments>
std::int64_t delete_all(Database& database, std::string_view query, std::int64_t batch, const Arguments&... arguments) {
  std::int64_t total = 0;
  std::int64_t deleted = 0;
  do {
    transact(database, std::nullopt, [&](Transaction& transaction) {
      deleted = static_cast<std::int64_t>(exec(transaction, query, arguments..., batch).affected_rows());
    });
    total += deleted;
  } while (deleted > 0);
  return total;
}

bool seal(Database& database, std::int64_t campaign, grid::Instant before) {
  bool sealed = false;
  transact(database, std::nullopt, [&](Transaction& transaction) { sealed = !exec(transaction, sql::prune_seal, campaign, micros(before)).empty(); });
  return sealed;
}

void prune_campaign(Database& database, std::int64_t campaign, std::int64_t batch, Pruned& pruned) {
  pruned.jobs += delete_all(database, sql::prune_jobs, batch, campaign);
  pruned.tasks += delete_all(database, sql::prune_tasks, batch, campaign);
  delete_all(database, sql::prune_request_tasks, batch, campaign);
  transact(database, std::nullopt, [&](Transaction& transaction) {
    exec(transaction, sql::prune_returned_tasks, campaign);
    exec(transaction, sql::prune_campaign, campaign);
  });
  ++pruned.campaigns;
}

}  // namespace

Pruned count_prunable(Transaction& transaction, grid::Instant before) {
  const auto row = exec(transaction, sql::prune_count, micros(before))[0];
  const auto count = [&](const char* column) { return row[column].as<std::int64_t>(); };
  return {count("campaigns"), count("tasks"), count("jobs"), count("statuses"), count("cycles"), count("events")};
}

Pruned prune(Database& database, grid::Instant before, std::int64_t batch) {
  std::vector<std::int64_t> campaigns;
  {
    auto transaction = database.begin();
    for (const auto& row : exec(transaction, sql::prune_campaigns, micros(before))) campaigns.push_back(row[0].as<std::int64_t>());
  }
  Pruned pruned;
  for (const auto campaign : campaigns) {
    if (seal(database, campaign, before)) prune_campaign(database, campaign, batch, pruned);
  }
  pruned.statuses = delete_all(database, sql::prune_statuses, batch, micros(before));
  pruned.cycles = delete_all(database, sql::prune_cycles, batch, micros(before));
  pruned.events = delete_all(database, sql::prune_events, batch, micros(before));
  return pruned;
}

}  // namespace gleaner::store
