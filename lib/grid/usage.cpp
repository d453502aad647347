#include "lib/grid/usage.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace gleaner::grid {

std::vector<std::string_view> usage_rule_names() { return {"absolute", "by_share"}; }

tl::expected<UsageRule, std::string> usage_rule(std::string_view name) {
  const auto names = usage_rule_names();
  if (name == names[0]) return UsageRule::absolute;
  if (name == names[1]) return UsageRule::by_share;
  return tl::unexpected{fmt::format("there is no rule of usage named '{}'; there are: {}", name, fmt::join(names, ", "))};
}

double fair_priority(double share, double usage, UsageRule rule) {
  return rule == UsageRule::by_share ? share - share * usage : share - usage;
}

}  // namespace gleaner::grid
