#pragma once
#include <cstdint>
#include <optional>
#include <string>

#include "lib/grid/id.hpp"
#include "lib/grid/time.hpp"
#include "lib/store/database.hpp"

/// Campaigns that were brought out of another system.
namespace gleaner::store {

/// Where a campaign is from.
struct Origin {
  std::string source;  ///< `cigri`
  std::int64_t id = 0;
  grid::Instant submitted_at{};
};

struct ImportedCampaign {
  grid::CampaignId id{0};
  std::int64_t tasks = 0;
  std::int64_t left_out = 0;  ///< tasks that were neither done there nor brought
  bool is_here = true;        ///< false: it was purged or pruned since
  bool is_paused = false;
};

/// The campaign that it became here, also if that one was deleted since. Empty: it was never brought.
[[nodiscard]] std::optional<ImportedCampaign> find_imported(Transaction& transaction, const Origin& origin);

/// Records for good that it is brought. False when it was before, and this transaction must be abandoned. If another transaction brings it,
/// this function waits for its end.
[[nodiscard]] bool record_imported(Transaction& transaction, const Origin& origin, const ImportedCampaign& campaign);

}  // namespace gleaner::store
