#include "metascheduler/planner/orders/fifo.hpp"
#include "metascheduler/planner/plan.hpp"
#include "metascheduler/planner/policy_table.hpp"

namespace gleaner::planner {
namespace {

const Fifo kFifo;

constexpr PolicyTable<CampaignOrder, 1> kOrders{&kFifo};

}  // namespace

tl::expected<const CampaignOrder*, std::string> find_order(std::string_view name) {
  return find_policy(kOrders, "order of campaigns", name);
}

std::vector<std::string_view> order_names() { return names_of(kOrders); }

}  // namespace gleaner::planner
