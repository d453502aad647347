#include "lib/store/imports.hpp"

#include "lib/store/detail.hpp"

namespace gleaner::store {

using detail::exec;

std::optional<ImportedCampaign> find_imported(Transaction& transaction, const Origin& origin) {
  const auto rows =
      exec(transaction, sql::imports_find{.source = origin.source, .source_id = origin.id, .submitted_at = origin.submitted_at});
  if (rows.empty()) return std::nullopt;
  const auto row = rows[0];
  return ImportedCampaign{
      .id = *row.campaign_id, .tasks = *row.tasks, .left_out = *row.left_out, .is_here = *row.is_here, .is_paused = *row.is_paused};
}

bool record_imported(Transaction& transaction, const Origin& origin, const ImportedCampaign& campaign) {
  return !exec(transaction, sql::imports_record{.source = origin.source,
                                                .source_id = origin.id,
                                                .submitted_at = origin.submitted_at,
                                                .campaign = campaign.id,
                                                .tasks = campaign.tasks,
                                                .left_out = campaign.left_out})
              .empty();
}

}  // namespace gleaner::store
