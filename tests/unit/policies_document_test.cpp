#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "metascheduler/planner/orders/order.hpp"
#include "metascheduler/planner/placements/placement.hpp"
#include "metascheduler/planner/schedulers/scheduler.hpp"

/// docs/policies.md against the tables of policies.
namespace gleaner::planner {
namespace {

std::string document() {
  std::ifstream input{"docs/policies.md"};
  return {std::istreambuf_iterator<char>{input}, {}};
}

/// From its heading to the next one; empty when it has none.
std::string section_of(const std::string& text, std::string_view policy) {
  const auto heading = fmt::format("\n### `{}`\n", policy);
  const auto begin = text.find(heading);
  if (begin == std::string::npos) return {};
  return text.substr(begin, text.find("\n#", begin + heading.size()) - begin);
}

TEST(PoliciesDocument, DescribesEachPolicy_ItsSource_ItsKeys_AndItsLimits_AndShowsIt) {
  const auto text = document();
  ASSERT_FALSE(text.empty());
  std::vector<std::string_view> all;
  for (const auto& names : {class_names(), order_names(), placement_names(), scheduler_names()})
    all.insert(all.end(), names.begin(), names.end());
  ASSERT_GE(all.size(), 16U);
  for (const auto policy : all) {
    const auto section = section_of(text, policy);
    ASSERT_FALSE(section.empty()) << policy << " is not in docs/policies.md";
    for (const auto* part : {"- Source: document 00", "- Keys: ", "- Limits: "})
      EXPECT_NE(section.find(part), std::string::npos) << policy << " lacks " << part;
    const auto plot = fmt::format("plots/{}.svg", policy);
    EXPECT_NE(section.find(fmt::format("]({})", plot)), std::string::npos) << policy << " shows no plot";
    EXPECT_TRUE(std::filesystem::exists("docs/" + plot)) << plot << ": docs/plots/draw makes it";
  }
}

}  // namespace
}  // namespace gleaner::planner
