#include "lib/store/views_summary.hpp"

#include "lib/store/views_detail.hpp"

namespace gleaner::store::views {

using store::detail::exec;

std::map<grid::CampaignId, Decision> main_reasons(Transaction& transaction, std::span<const grid::CampaignId> campaigns,
                                                  const std::vector<std::string>& stages, grid::Instant now) {
  std::map<grid::CampaignId, Decision> reasons;
  if (campaigns.empty()) return reasons;
  for (const auto& row : exec(
           transaction,
           sql::views_main_reasons{.campaigns = store::detail::ids_of(campaigns), .now = now, .stages = store::detail::text_array(stages)}))
    reasons.emplace(grid::CampaignId{row.campaign_id.template as<std::int64_t>()}, detail::read_decision(row));
  return reasons;
}

std::map<grid::CampaignId, std::int64_t> open_events(Transaction& transaction, std::span<const grid::CampaignId> campaigns) {
  std::map<grid::CampaignId, std::int64_t> numbers;
  if (campaigns.empty()) return numbers;
  for (const auto& row : exec(transaction, sql::views_open_events{.campaigns = store::detail::ids_of(campaigns)}))
    numbers.emplace(grid::CampaignId{row.campaign_id.as<std::int64_t>()}, row.events.as<std::int64_t>());
  return numbers;
}

}  // namespace gleaner::store::views
