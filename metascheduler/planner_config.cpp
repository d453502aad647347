#include "metascheduler/planner_config.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <chrono>
#include <stdexcept>

#include "metascheduler/planner/orders/multifactor.hpp"

namespace gleaner::metascheduler {

std::vector<std::string_view> usage_rules() { return {"absolute", "by_share"}; }

std::optional<std::string> wrong_order(std::string_view value) {
  const auto checked = planner::check({.order = std::string{value}});
  if (checked) return std::nullopt;
  return fmt::format("one of {}, with {} before it or not ({})", fmt::join(planner::order_names(), ", "),
                     fmt::join(planner::class_names(), " and "), checked.error());
}

std::optional<std::string> wrong_weights(std::string_view value) {
  const auto weights = planner::parse_weights(value);
  if (weights) return std::nullopt;
  return fmt::format("such as age:1000,priority:500 ({})", weights.error());
}

planner::PlannerConfig planner_config_of(const process::Config& config) {
  const auto weights = planner::parse_weights(config.multifactor_weights);
  if (!weights) throw std::invalid_argument{weights.error()};
  planner::PlannerConfig planner;
  planner.order = config.campaign_order;
  planner.placement = config.placement;
  planner.simultaneous = config.simultaneous;
  planner.usage_rule = config.fairshare_usage == "by_share" ? planner::UsageRule::by_share : planner::UsageRule::absolute;
  planner.weights = *weights;
  planner.age_max = std::chrono::duration<double>{config.age_max}.count();
  planner.probe_jobs = config.probe_jobs;
  planner.reservations = config.reservations;
  return planner;
}

}  // namespace gleaner::metascheduler
