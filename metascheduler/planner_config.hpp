#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lib/process/config.hpp"
#include "metascheduler/planner/plan.hpp"

/// The planner's configuration, from the programs' one.
namespace gleaner::metascheduler {

/// The policies that the configuration names. Throws std::invalid_argument for what the checks below refuse.
[[nodiscard]] planner::PlannerConfig planner_config_of(const process::Config& config);

[[nodiscard]] std::vector<std::string_view> usage_rules();

/// What would be right; nothing when the value is.
[[nodiscard]] std::optional<std::string> wrong_order(std::string_view value);
[[nodiscard]] std::optional<std::string> wrong_weights(std::string_view value);

}  // namespace gleaner::metascheduler
