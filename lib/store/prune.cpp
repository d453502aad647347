#include "lib/store/prune.hpp"

#include <fmt/format.h>

#include <chrono>
#include <optional>
#include <set>
#include <vector>

#include "lib/store/clock.hpp"
#include "lib/store/dependencies.hpp"
#include "lib/store/detail.hpp"

namespace gleaner::store {
namespace {

using detail::exec;
using detail::exec_prepared;

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

/// After the lists: the campaign, and the rows that belong to it. Returns the campaigns that wait for it.
std::vector<InVain> delete_rest(Transaction& transaction, std::int64_t campaign) {
  auto waiting = note_waiting_in_vain(transaction, grid::CampaignId{campaign}, Gone::from_here, now(transaction));
  exec(transaction, sql::prune_returned_tasks{.campaign = campaign});
  exec(transaction, sql::prune_campaign{.campaign = campaign});
  return waiting;
}

void prune_campaign(Database& database, std::int64_t campaign, std::int64_t batch, Pruned& pruned) {
  pruned.jobs += delete_all(database, sql::prune_jobs{.campaign = campaign, .batch = batch});
  pruned.tasks += delete_all(database, sql::prune_tasks{.campaign = campaign, .batch = batch});
  delete_all(database, sql::prune_request_tasks{.campaign = campaign, .batch = batch});
  std::vector<InVain> waiting;
  transact(database, std::nullopt, [&](Transaction& transaction) { waiting = delete_rest(transaction, campaign); });
  for (const auto& one : waiting) pruned.in_vain.push_back(one.campaign);
  ++pruned.campaigns;
}

}  // namespace

Pruned count_prunable(Transaction& transaction, grid::Instant before) {
  const auto row = exec(transaction, sql::prune_count{.ended_before = before})[0];
  Pruned rows{*row.campaigns, *row.tasks, *row.jobs, *row.statuses, *row.cycles, *row.events, *row.forecasts, *row.reasons, *row.acts};
  std::set<grid::CampaignId> over;
  for (const auto& campaign : exec(transaction, sql::prune_campaigns{.ended_before = before})) over.insert(*campaign.id);
  for (const auto& one : open_dependencies(transaction)) {
    if (over.contains(one.awaited.campaign)) rows.in_vain.push_back(one.campaign);
  }
  return rows;
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
  pruned.reasons = delete_all(database, sql::prune_reasons{.before = before, .batch = batch});
  transact(database, std::nullopt, [&](Transaction& transaction) { exec(transaction, sql::prune_quality{.before = before}); });
  pruned.acts = delete_all(database, sql::prune_acts{.before = before, .batch = batch});
  return pruned;
}

namespace {

/// The reason that keeps a campaign that is over from being deleted for now. Empty: there is none.
std::string left_of(const sql::prune_obstacles::Row& row) {
  if (row.unsettled.as<bool>()) return "it goes when the end of its last jobs is known";
  const std::optional<std::string> cluster = row.uncleaned;
  if (cluster) return fmt::format("its files on {} are removed within an hour, or when the cluster answers again", *cluster);
  const std::optional<std::string> retired = row.retired;
  return retired ? fmt::format("{} is retired, and may still have jobs of it: 'gridctl prune' deletes it in time", *retired)
                 : std::string{};
}

}  // namespace

tl::expected<std::string, std::string> seal_campaign(Transaction& transaction, grid::CampaignId campaign) {
  const auto rows = exec(transaction, sql::prune_obstacles{.campaign = campaign});
  if (rows.empty()) return tl::unexpected{std::string{"there is no such campaign"}};
  if (!rows[0].has_ended.as<bool>()) return tl::unexpected{std::string{"it has not ended: cancel it first"}};
  if (const std::optional<std::int64_t> waiting = rows[0].awaited_by)
    return tl::unexpected{fmt::format("campaign {} waits for it: cancel that one first, or let it end", *waiting)};
  // It may have ended at any time.
  const auto present = now(transaction);
  exec(transaction, sql::prune_seal{.campaign = campaign.value(), .ended_before = present + std::chrono::hours{24}});
  auto left = left_of(rows[0]);
  if (left.empty()) return left;
  exec(transaction, sql::prune_hide{.now = present, .campaign = campaign.value()});
  static_cast<void>(note_waiting_in_vain(transaction, campaign, Gone::from_here, present));
  return left;
}

std::vector<grid::CampaignId> purged_campaigns(Transaction& transaction, int most) {
  std::vector<grid::CampaignId> campaigns;
  for (const auto& row : exec_prepared(transaction, sql::prune_purged{.most = most})) campaigns.push_back(*row.id);
  return campaigns;
}

bool delete_some(Transaction& transaction, grid::CampaignId campaign, std::int64_t batch) {
  const auto id = campaign.value();
  auto deleted = exec(transaction, sql::prune_jobs{.campaign = id, .batch = batch}).affected_rows();
  if (deleted == 0) deleted = exec(transaction, sql::prune_tasks{.campaign = id, .batch = batch}).affected_rows();
  if (deleted == 0) deleted = exec(transaction, sql::prune_request_tasks{.campaign = id, .batch = batch}).affected_rows();
  if (deleted > 0) return false;
  static_cast<void>(delete_rest(transaction, id));
  return true;
}

}  // namespace gleaner::store
