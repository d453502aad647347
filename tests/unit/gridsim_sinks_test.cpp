#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "sim/gridsim/engine/scenario_file.hpp"
#include "sim/gridsim/engine/simulation.hpp"

/// A cluster on which tasks end at once, in the simulator: one that is a thousand times as fast.
namespace gleaner::gridsim {
namespace {

Outcome with_beta(const std::string& campaign, const std::string& beta = R"("speed": 1000)") {
  const auto scenario = read_scenario(R"({"clusters": {"alpha": {"nodes": 4, "cores": 4}, "beta": {"nodes": 4, "cores": 4, )" + beta +
                                          R"(}}, "campaigns": [{)" + campaign + "}]}",
                                      ".");
  if (!scenario) throw std::logic_error{jdl::render(scenario.error(), "scenario")};
  return simulate(*scenario);
}

std::int64_t done_on_beta(const Outcome& outcome) {
  return std::ranges::count_if(outcome.jobs, [](const Job& job) { return job.cluster == 1 && job.end == JobEnd::done; });
}

TEST(GridsimSinks, OfTwoHundredTasks_ASinkTakesAFew) {
  const auto outcome = with_beta(R"("tasks": 200, "duration": "60s", "walltime": "1:00:00")");
  EXPECT_EQ(outcome.campaigns.at(0).done, 200);
  EXPECT_GE(done_on_beta(outcome), 3);
  EXPECT_LE(done_on_beta(outcome), 12) << "three, and a probe after each brake, of 30 s and more";
}

TEST(GridsimSinks, OfThreeThousandTasks_ASinkTakesNotManyMore) {
  EXPECT_LE(done_on_beta(with_beta(R"("tasks": 3000, "duration": "60s", "walltime": "1:00:00")")), 40);
}

TEST(GridsimSinks, JobsThatShareTasks_TakeOneEach_UntilTheClusterHasShownWork) {
  EXPECT_LE(done_on_beta(with_beta(R"("tasks": 2000, "duration": "60s", "walltime": "1:00:00", "temporal_grouping": true)")), 40);
  EXPECT_LE(done_on_beta(with_beta(
                R"("tasks": 2000, "duration": "60s", "walltime": "1:00:00", "temporal_grouping": true, "min_duration": "0:0:30")")),
            40);
}

TEST(GridsimSinks, ShortTasks_OnTwoClustersThatWork_AreHeldForOneProbe) {
  const auto held = with_beta(R"("tasks": 1000, "duration": "1s", "walltime": "1:00:00")", R"("speed": 1)");
  const auto stated = with_beta(R"("tasks": 1000, "duration": "1s", "walltime": "1:00:00", "min_duration": "0")", R"("speed": 1)");
  const auto seconds = [](const Outcome& outcome) { return *outcome.campaigns.at(0).ended; };
  EXPECT_EQ(held.campaigns.at(0).done, 1000);
  EXPECT_LT(seconds(held), seconds(stated) + 20);
}

}  // namespace
}  // namespace gleaner::gridsim
