#include "lib/store/feed.hpp"

#include "lib/store/detail.hpp"

namespace gleaner::store {

using detail::exec_prepared;

FeedState feed_state(Transaction& transaction) {
  const auto row = exec_prepared(transaction, sql::feed_state{})[0];
  return {.end = {.transaction = *row.horizon}, .kept = *row.first, .pending = *row.pending};
}

std::vector<FeedChange> changes_after(Transaction& transaction, FeedPlace after, FeedPlace end, std::int64_t limit) {
  std::vector<FeedChange> changes;
  const sql::feed_read query{.xact = after.transaction, .id = after.change, .horizon = end.transaction, .limit = limit};
  for (const auto& row : exec_prepared(transaction, query)) {
    FeedChange change;
    change.place = {.transaction = *row.xact, .change = *row.id};
    change.kind = *row.kind;
    change.change = *row.change;
    change.id = *row.subject;
    change.campaign = row.campaign_id;
    changes.push_back(std::move(change));
  }
  return changes;
}

bool adopt_feed(Database& database) {
  bool is_new = false;
  transact(database, std::nullopt, [&](Transaction& transaction) { is_new = !detail::exec(transaction, sql::feed_adopt{}).empty(); });
  return is_new;
}

std::int64_t prune_feed(Database& database, grid::Instant before, std::int64_t most, std::int64_t batch) {
  std::int64_t total = 0;
  for (std::int64_t deleted = 1; deleted > 0; total += deleted) {
    deleted = 0;
    transact(database, std::nullopt, [&](Transaction& transaction) {
      const auto rows = detail::exec(transaction, sql::prune_feed{.before = before, .most = most, .batch = batch});
      deleted = rows.empty() ? 0 : rows[0].deleted.as<std::int64_t>();
    });
  }
  return total;
}

}  // namespace gleaner::store
