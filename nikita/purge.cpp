#include "nikita/purge.hpp"

#include <chrono>
#include <optional>
#include <vector>

#include "lib/grid/clock.hpp"
#include "lib/process/log.hpp"
#include "lib/store/batch.hpp"
#include "lib/store/clock.hpp"
#include "lib/store/events.hpp"
#include "lib/store/prune.hpp"

namespace gleaner::nikita {
namespace {

constexpr std::chrono::seconds kPatience{2};
constexpr int kAtOnce = 20;

enum class Batch { deleted, last, refused };

/// Deletes a batch of the campaign's rows; the last one is the campaign itself.
Batch delete_batch(fleet::SharedDatabase& database, grid::CampaignId campaign) {
  auto batch = Batch::refused;
  database.transact([&](store::Transaction& transaction) {
    bool is_gone = false;
    const bool is_written = store::write_or_note(transaction, {.campaign = campaign, .cluster = std::nullopt}, "that it is deleted",
                                                 store::now(transaction), [&] { is_gone = store::delete_some(transaction, campaign); });
    batch = !is_written ? Batch::refused : is_gone ? Batch::last : Batch::deleted;
  });
  return batch;
}

}  // namespace

int purge(fleet::SharedDatabase& database) {
  const auto ends = grid::SteadyClock::now() + kPatience;
  std::vector<grid::CampaignId> campaigns;
  database.transact([&](store::Transaction& transaction) { campaigns = store::purged_campaigns(transaction, kAtOnce); });
  int gone = 0;
  while (!campaigns.empty() && grid::SteadyClock::now() < ends) {
    std::erase_if(campaigns, [&](grid::CampaignId campaign) {
      const auto batch = delete_batch(database, campaign);
      if (batch == Batch::last) ++gone;
      return batch != Batch::deleted;
    });
  }
  if (gone > 0) process::log::info("purged campaigns deleted", {{"campaigns", gone}});
  return gone;
}

}  // namespace gleaner::nikita
