#pragma once
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <tl/expected.hpp>

namespace gleaner::grid {

/// Recent usage, in which older days count less: the sum of day[i] * decay^i.
/// Source: document 001, "fair-share", U.
/// @param days   usage of today, yesterday, …; 1 is the whole grid for the whole day
/// @param decay  of one day, in [0, 1]
[[nodiscard]] inline double decayed_usage(std::span<const double> days, double decay) {
  double usage = 0.0;
  double factor = 1.0;
  for (const double day : days) {
    usage += factor * day;
    factor *= decay;
  }
  return usage;
}

/// How usage counts against a share (document 001, "fair-share").
enum class UsageRule {
  absolute,  ///< P = S - U: the worked example
  by_share   ///< P = S - S U: the formula
};
[[nodiscard]] std::vector<std::string_view> usage_rule_names();
[[nodiscard]] tl::expected<UsageRule, std::string> usage_rule(std::string_view name);

/// A user's priority: the share minus the usage.
/// @param share  of the grid, in [0, 1]
/// @param usage  decayed, in days of the whole grid
[[nodiscard]] double fair_priority(double share, double usage, UsageRule rule);

}  // namespace gleaner::grid
