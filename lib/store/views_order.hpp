#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "lib/store/views.hpp"

/// In which order the latest plan served the campaigns.
namespace gleaner::store::views {

/// All campaigns of a class go before those of the next.
struct OrderClass {
  std::int64_t number = 0;  ///< from 1
  std::string type;         ///< test, default, lowest_priority
  /// Priorities that make the class; empty: the order has no classes of priority.
  std::optional<std::int64_t> project_priority, group_priority, priority;
  std::string clusters;  ///< all, affinity, others
};

/// A campaign that the caller may read.
struct PlacedCampaign {
  grid::CampaignId id{0};
  std::string name;
  std::string user;
  std::string project;
  grid::Instant submitted_at;
  std::optional<Decision> standing;  ///< empty: the order has no figures
};

struct OrderPlace {
  std::int64_t place = 0;  ///< from 1
  OrderClass of_class;
  std::optional<PlacedCampaign> campaign;  ///< empty: the caller may not read it
};

struct OrderFilter {
  std::optional<std::int64_t> campaign;
  std::optional<std::string> user;
  std::optional<Readers> readers;  ///< empty: the caller may read all
};

struct CampaignOrder {
  std::string campaign_order;  ///< of the configuration
  std::int64_t places = 0;     ///< of the plan, whether stored or not
  grid::Instant since;         ///< it is the order of all plans since then
  Page<OrderPlace> page;
};

/// Empty: nothing was planned yet. Cost: O(stored places), which are at most kMostPlaces.
[[nodiscard]] std::optional<CampaignOrder> campaign_order(Transaction& transaction, const OrderFilter& filter, Window window);

}  // namespace gleaner::store::views
