#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>

#include "sim/world/campaigns.hpp"
#include "sim/world/faults.hpp"
#include "sim/world/tasks.hpp"
#include "sim/world/trace.hpp"
#include "tests/seed.hpp"

/// The effects of the world's faults (docs/architecture/world.md).
namespace gleaner::world {
namespace {

Settings world_with(Fault fault, double hours) {
  Settings settings;
  settings.seed = tests::test_seed();
  settings.hours = hours;
  settings.faults = {fault};
  return settings;
}

TEST(FaultsOfAWorld, ThatStay_HaveBegunFromTheirFirstTimeOn_AndOthersEnd) {
  const auto settings = world_with(Fault::wrong_total, 24);
  VirtualClock clock;
  Faults faults{settings, clock};
  const auto& times = faults.outages(Fault::wrong_total, "k00");
  ASSERT_FALSE(times.empty());
  EXPECT_FALSE(faults.has_begun(Fault::wrong_total, "k00"));
  clock.advance_to(times.front().begin);
  EXPECT_TRUE(faults.has_begun(Fault::wrong_total, "k00"));
  EXPECT_FALSE(faults.has_begun(Fault::wrong_total, "k00", std::chrono::seconds{600}));
  clock.advance_to(faults.end() + std::chrono::hours{1});
  EXPECT_TRUE(faults.has_begun(Fault::wrong_total, "k00", std::chrono::seconds{600}));
  EXPECT_FALSE(faults.is_away(Fault::wrong_total, "k00"));
  EXPECT_FALSE(faults.has_begun(Fault::too_large, "k00"));  // it is not among those of this world
}

TEST(FaultsOfAWorld, EachProgramDies_HoweverSeldomItPasses_AndNobodyAfterTheEnd) {
  const auto settings = world_with(Fault::death, 1);
  VirtualClock clock;
  Faults faults{settings, clock};
  for (int minute = 0; minute < 60; ++minute) {
    for (const auto* program : {"runner", "gridapi"}) static_cast<void>(faults.kills(program));
    clock.advance(std::chrono::minutes{1});
  }
  const auto happened = faults.happened();
  EXPECT_GE(happened.at("death of runner"), 1);
  EXPECT_GE(happened.at("death of gridapi"), 1);
  EXPECT_EQ(happened.at("death"), happened.at("death of runner") + happened.at("death of gridapi"));
  for (int more = 0; more < 10'000; ++more) EXPECT_FALSE(faults.kills("runner"));
}

TEST(TasksOfAWorld, OfASink_DoNothing_AndSecretsAreInTheStderrOfThoseThatFail) {
  const auto settings = world_with(Fault::sink, 24);
  VirtualClock clock;
  Faults faults{settings, clock};
  Trace trace{clock, "", "/nowhere"};
  Tasks tasks{"k00", clock, faults, trace};
  wrapper::TaskRun run;
  run.campaign = 1;
  run.remote_job = 7;
  run.arguments = {"run=60", "exit=2"};
  const auto worked = tasks.task(run);
  EXPECT_EQ(worked.duration, std::chrono::seconds{60});
  EXPECT_EQ(worked.status, 2);
  EXPECT_THAT(worked.errors, testing::HasSubstr(kSecret));
  EXPECT_FALSE(tasks.works().back().is_swallowed);
  clock.advance_to(faults.outages(Fault::sink, "k00").front().begin);
  const auto swallowed = tasks.task(run);
  EXPECT_EQ(swallowed.duration, std::chrono::seconds{0});
  EXPECT_EQ(swallowed.status, 0);
  EXPECT_TRUE(tasks.works().back().is_swallowed);
}

}  // namespace
}  // namespace gleaner::world
