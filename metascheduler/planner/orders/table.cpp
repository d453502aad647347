#include "metascheduler/planner/orders/fifo.hpp"
#include "metascheduler/planner/policy_table.hpp"

namespace gleaner::planner {
namespace {

const Fifo kFifo;

}  // namespace

tl::expected<const CampaignOrder*, std::string> find_order(std::string_view name) {
  static constexpr PolicyTable<CampaignOrder, 1> kOrders{&kFifo};
  return find_policy(kOrders, "order of campaigns", name);
}

}  // namespace gleaner::planner
