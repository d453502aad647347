#include "lib/store/views_order.hpp"

#include "lib/store/views_detail.hpp"

namespace gleaner::store::views {

using store::detail::exec;

namespace {

PlacedCampaign read_placed_campaign(const auto& row) {
  PlacedCampaign campaign{
      .id = *row.id, .name = *row.name, .user = *row.user_name, .project = *row.project, .submitted_at = *row.submitted_at, .standing = {}};
  if (std::optional<std::string> figures = row.figures) {
    campaign.standing.emplace();
    campaign.standing->stage = *row.stage;
    campaign.standing->reason = "standing";
    campaign.standing->figures = std::move(*figures);
  }
  return campaign;
}

OrderPlace read_order_place(const auto& row) {
  OrderPlace place;
  place.place = *row.ranked;
  place.of_class = {.number = *row.class_number,
                    .type = *row.class_type,
                    .project_priority = row.project_priority,
                    .group_priority = row.group_priority,
                    .priority = row.priority,
                    .clusters = *row.clusters};
  if (const bool readable = *row.readable; readable) place.campaign = read_placed_campaign(row);
  return place;
}

}  // namespace

std::optional<CampaignOrder> campaign_order(Transaction& transaction, const OrderFilter& filter, Window window) {
  const auto heads = exec(transaction, sql::views_campaign_order{});
  if (heads.empty()) return std::nullopt;
  CampaignOrder order{.campaign_order = *heads[0].campaign_order, .places = *heads[0].places, .since = *heads[0].since, .page = {}};
  const auto reader = filter.readers ? std::optional{filter.readers->user} : std::nullopt;
  const auto projects = store::detail::text_array(filter.readers ? filter.readers->projects : std::vector<std::string>{});
  for (const auto& row : exec(transaction, sql::views_order_places{
                                               .reader = reader,
                       .projects = projects,
                       .campaign = filter.campaign,
                       .user = filter.user,
                       .limit = window.limit,
                       .offset = window.offset,
                                           })) {
    order.page.total = *row.total;
    order.page.items.push_back(read_order_place(row));
  }
  return order;
}

}  // namespace gleaner::store::views
