#include <gtest/gtest.h>

#include <thread>

#include "tests/chaos/killer.hpp"

namespace gleaner::tests {
namespace {

class AnyProcess : public ::testing::TestWithParam<bool> {};

TEST_P(AnyProcess, KilledAtAnyMoment_LosesNothing_AndRunsNothingTwice_AndItsUsersWaitOn) {
  const bool grouping = GetParam();
  Dice dice{test_seed()};
  const int strikes = long_runs() ? 120 : 20;
  const std::int64_t tasks = long_runs() ? 600 : 120;
  GridUnderTest grid{{.configuration = {{"lease_duration", "2s"}, {"void_delay", "2s"}, {"cycle_period", "200ms"}}}};
  Killer killer{grid, dice};
  grid.start_api();
  grid.almighty().start();
  const auto campaign =
      grid.gridsub(GridUnderTest::jdl_of({.tasks = tasks, .exec_file = grid.oracle().task("sleep 0.5"), .grouping = grouping}));
  auto waiting = grid.background("gridwait", {std::to_string(campaign.value())});
  waiting.start();
  for (int strike = 0; strike < strikes; ++strike) {
    std::this_thread::sleep_for(std::chrono::milliseconds{dice.roll(50, 700)});  // the random moment itself
    if (dice.roll(0, 4) > 0) {
      killer.strike();
    } else {
      grid.cluster("alpha").kill();
      grid.cluster("alpha").start();
    }
  }
  ASSERT_TRUE(grid.terminates(campaign));
  EXPECT_TRUE(grid.is_exactly_done(campaign, tasks));
  ASSERT_TRUE(await([&] { return !waiting.is_running(); }));
  EXPECT_TRUE(waiting.stop().succeeded()) << tail_of(waiting.log(), 5);
}

INSTANTIATE_TEST_SUITE_P(OfJobs, AnyProcess, ::testing::Values(false, true),
                         [](const auto& each) { return each.param ? std::string{"InPools"} : std::string{"OneForEachTask"}; });

}  // namespace
}  // namespace gleaner::tests
