#include <array>

#include "metascheduler/planner/orders/cheapest.hpp"
#include "metascheduler/planner/orders/fairshare.hpp"
#include "metascheduler/planner/orders/fairtree.hpp"
#include "metascheduler/planner/orders/fifo.hpp"
#include "metascheduler/planner/orders/multifactor.hpp"
#include "metascheduler/planner/orders/tickets.hpp"
#include "metascheduler/planner/policy_table.hpp"

namespace gleaner::planner {
namespace {

const Fifo kFifo;
const FairShare kFairShare;
const FairTree kFairTree;
const Multifactor kMultifactor;
const Tickets kTickets;
const Cheapest kCheapest;

constexpr PolicyTable<CampaignOrder, 6> kOrders{&kFifo, &kFairShare, &kFairTree, &kMultifactor, &kTickets, &kCheapest};

constexpr std::string_view kPriority = "priority";
constexpr std::string_view kAffinity = "affinity";

std::vector<std::string_view> all_names() {
  auto names = order_names();
  for (const auto name : class_names()) names.push_back(name);
  return names;
}

std::string_view trimmed(std::string_view text) {
  const auto begin = text.find_first_not_of(' ');
  return begin == text.npos ? std::string_view{} : text.substr(begin, text.find_last_not_of(' ') - begin + 1);
}

}  // namespace

std::vector<std::string_view> order_names() { return names_of(kOrders); }
std::vector<std::string_view> class_names() { return {kPriority, kAffinity}; }

tl::expected<OrderChoice, std::string> parse_order(std::string_view text) {
  OrderChoice choice;
  while (true) {
    const auto comma = text.find(',');
    const auto name = trimmed(text.substr(0, comma));
    const bool last = comma == text.npos;
    if (name == kPriority && !choice.by_priority) {
      choice.by_priority = true;
    } else if (name == kAffinity && !choice.by_affinity) {
      choice.by_affinity = true;
      choice.affinity_first = !choice.by_priority;
    } else if (name == kPriority || name == kAffinity) {
      return tl::unexpected{fmt::format("'{}' is named twice in the order of campaigns", name)};
    } else if (const auto found = find_policy(kOrders, "order of campaigns", name); found && last) {
      choice.within = *found;
    } else if (found) {
      return tl::unexpected{fmt::format("'{}' must come last in the order of campaigns: only {} may come before an order", name,
                                        fmt::join(class_names(), " and "))};
    } else {
      const auto known = all_names();
      return tl::unexpected{fmt::format("there is no order of campaigns named '{}'{}; there are: {}", name, text::did_you_mean(name, known),
                                        fmt::join(known, ", "))};
    }
    if (last) break;
    text.remove_prefix(comma + 1);
  }
  if (!choice.within) choice.within = &kFifo;
  return choice;
}

}  // namespace gleaner::planner
