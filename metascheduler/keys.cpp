#include "metascheduler/keys.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "lib/grid/usage.hpp"
#include "lib/process/options.hpp"
#include "metascheduler/planner/config.hpp"
#include "metascheduler/planner/orders/multifactor.hpp"
#include "metascheduler/planner/orders/order.hpp"
#include "metascheduler/planner/placements/placement.hpp"
#include "metascheduler/planner/schedulers/scheduler.hpp"

namespace gleaner::metascheduler {
namespace {

/// The right form of the value. Empty: the value is right.
std::optional<std::string> wrong_order(std::string_view value) {
  const auto checked = planner::check({.campaign_order = std::string{value}});
  if (checked) return std::nullopt;
  return fmt::format("one of {}, with {} before it or not ({})", fmt::join(planner::order_names(), ", "),
                     fmt::join(planner::class_names(), " and "), checked.error());
}

std::optional<std::string> wrong_weights(std::string_view value) {
  const auto weights = planner::parse_weights(value);
  if (weights) return std::nullopt;
  return fmt::format("such as age:1000,priority:500 ({})", weights.error());
}

}  // namespace

std::vector<process::Use> keys() {
  std::vector<process::Use> keys{"database",
                                 "flood",
                                 "array_size",
                                 "headroom",
                                 "availability",
                                 "status_max_age",
                                 "failures_before_brake",
                                 "brake_time",
                                 "brake_time_max",
                                 {"campaign_scheduler", planner::default_scheduler_names()},
                                 "expired_quantile",
                                 "fairshare_decay",
                                 "fairshare_window",
                                 {"campaign_order", wrong_order},
                                 {"placement", planner::placement_names()},
                                 {"fairshare_usage", grid::usage_rule_names()},
                                 {"multifactor_weights", wrong_weights}};
  for (const auto& option : process::options()) {
    const bool is_new = std::ranges::find(keys, option.key, &process::Use::key) == keys.end();
    if (option.scope == process::Option::Scope::planner && is_new) keys.emplace_back(option.key, std::vector<std::string_view>{});
  }
  return keys;
}

}  // namespace gleaner::metascheduler
