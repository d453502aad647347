#include <gtest/gtest.h>

#include <sstream>

#include "lib/terminal/text.hpp"
#include "sim/gridsim/engine/settings.hpp"
#include "sim/gridsim/report.hpp"
#include "tests/unit/gridsim_scenarios.hpp"

namespace gleaner::gridsim {
namespace {

TEST(GridsimReport, EveryLine_FitsIn80Columns) {
  auto scenario = shared_clusters();
  scenario.length = 3600;
  std::vector<Variant> variants;
  for (const auto* name : {"slow-start", "two-way-adaptive", "adaptive-down-exponential-up", "measured"}) {
    auto& variant = variants.emplace_back(Variant{name, scenario, {}, {}});
    ASSERT_TRUE(set(variant.scenario, "predictor_algorithm", name));
    variant.outcome = simulate(variant.scenario);
    variant.metrics = measure(variant.scenario, variant.outcome);
  }
  for (const auto& text : {describe(variants.front(), {}), describe_all("predictor_algorithm", variants, {})}) {
    std::istringstream lines{text};
    for (std::string line; std::getline(lines, line);) EXPECT_LE(terminal::display_width(line), 80u) << line;
  }
}

}  // namespace
}  // namespace gleaner::gridsim
