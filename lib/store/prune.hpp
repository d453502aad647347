#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include <tl/expected.hpp>

#include "lib/grid/id.hpp"
#include "lib/grid/time.hpp"
#include "lib/store/database.hpp"

namespace gleaner::store {

/// Number of rows to delete, or deleted.
struct Pruned {
  std::int64_t campaigns = 0;
  std::int64_t tasks = 0;
  std::int64_t jobs = 0;
  std::int64_t statuses = 0;
  std::int64_t cycles = 0;
  std::int64_t events = 0;
  std::int64_t forecasts = 0;
  std::int64_t reasons = 0;                    ///< past ones of pairs
  std::int64_t acts = 0;                       ///< of the audit
  std::vector<grid::CampaignId> in_vain = {};  ///< campaigns of others that wait for one of these, and cannot end any more
};

/// The rows that `prune` would delete, and campaigns whose last jobs are not known to be over.
[[nodiscard]] Pruned count_prunable(Transaction& transaction, grid::Instant before);

/// Deletes the campaigns that ended before, and the clusters' figures, cycles, closed events, kept forecasts, past reasons and acts that
/// are older; at most `batch` rows in a transaction. Figures of the plans of older days (store::quality) are put together in one row each.
/// It may be interrupted at any time, and run again.
Pruned prune(Database& database, grid::Instant before, std::int64_t batch = 10'000);

/// Seals an ended campaign, so that its user may have it deleted before its time. If it cannot be deleted yet, because something of it is
/// left on a cluster, it is hidden from everybody, and one of purged_campaigns() later. Returns the reason then; empty: it can be deleted
/// now. Error: why it cannot be sealed.
[[nodiscard]] tl::expected<std::string, std::string> seal_campaign(Transaction& transaction, grid::CampaignId campaign);
/// Hidden campaigns of which nothing is left on any cluster, for delete_some(). Each user has the first place of a round.
[[nodiscard]] std::vector<grid::CampaignId> purged_campaigns(Transaction& transaction, int most);
/// Deletes at most `batch` jobs, tasks and lines of other lists of a sealed campaign, or, when there are none left, the campaign itself.
/// True: it is gone, and each campaign that waits for it has an event AWAITS_IN_VAIN.
[[nodiscard]] bool delete_some(Transaction& transaction, grid::CampaignId campaign, std::int64_t batch = 10'000);

}  // namespace gleaner::store
