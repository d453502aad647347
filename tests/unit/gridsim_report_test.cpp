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

/// The figures of plans, and the ends of the jobs.
TEST(GridsimReport, OfThePlans_CountsEachJobThatIsOver_AsTheSimulationSawItsEnd) {
  auto scenario = shared_clusters();
  scenario.length = 7200;
  const auto outcome = simulate(scenario);
  const auto metrics = measure(scenario, outcome);
  const auto& plans = metrics.quality.all_plans;
  std::int64_t over = 0, preempted = 0, taken_back = 0, done = 0;
  for (const auto& job : outcome.jobs) {
    if (job.state != JobState::ended || job.pooled) continue;
    ++over;
    if (job.end == JobEnd::preempted) ++preempted;
    if (job.end == JobEnd::done) ++done;
    if (job.end == JobEnd::killed_by_us && !job.held) ++taken_back;
  }
  EXPECT_GT(done, 0);
  EXPECT_GT(plans.turns, 0);
  EXPECT_EQ(plans.planned(), over);
  EXPECT_EQ(plans.of(grid::Fate::done), done);
  EXPECT_EQ(plans.of(grid::Fate::preempted), preempted);
  EXPECT_EQ(plans.of(grid::Fate::taken_back), taken_back);
  grid::PlanFigures sum;
  for (const auto& line : metrics.quality.plans) sum += line.figures;
  EXPECT_EQ(sum, plans);
  // Only the forecasts of campaigns that have ended can be judged.
  std::int64_t forecasts = 0;
  for (const auto& campaign : outcome.campaigns) {
    EXPECT_FALSE(campaign.submitted && campaign.forecasts.empty());
    if (campaign.ended) forecasts += std::ssize(campaign.forecasts);
  }
  EXPECT_EQ(metrics.quality.all_forecasts.forecasts, forecasts);
}

}  // namespace
}  // namespace gleaner::gridsim
