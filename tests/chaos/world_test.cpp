#include <gtest/gtest.h>

#include <cstdlib>
#include <iostream>

#include "sim/world/world.hpp"
#include "tests/seed.hpp"

/// Whole grids on a virtual clock, under every kind of fault, from seeds that change with the commit (docs/architecture/world.md).
namespace gleaner::world {
namespace {

/// A night; without --long an hour of one seed, as a world is not yet fast enough for more.
constexpr double kNight = 30'000;
constexpr std::uint64_t kSeedOfAnHour = 5;

Settings settings_of(std::uint64_t seed, double hours) {
  Settings settings;
  settings.seed = seed;
  settings.hours = hours;
  settings.cycle = std::chrono::seconds{20};
  settings.programs = std::getenv("GLEANER_BIN_DIR");
  return settings;
}

Verdict is_green(const Settings& settings) {
  auto verdict = run(settings);
  EXPECT_TRUE(verdict.is_green()) << summary(verdict) << "again: " << command_of(settings);
  std::cout << "[ speed    ] " << verdict.simulated_s / verdict.real_s << " simulated seconds a second" << std::endl;
  return verdict;
}

TEST(Worlds, OfAnHour_ExecuteEachTaskOnce_KeepTheLaws_AndEnd) {
  auto settings = settings_of(kSeedOfAnHour, 1);
  std::erase_if(settings.faults, [](Fault fault) { return fault > Fault::failed_launch; });  // the others are for the night
  is_green(settings);
}

TEST(Worlds, OfANight_AndSeedsThatChangeWithTheCommit_DoSoToo) {
  if (std::getenv("GLEANER_TEST_LONG") == nullptr) GTEST_SKIP() << "30 000 simulated seconds of several seeds (--long)";
  const auto seed = tests::test_seed();
  double simulated = 0;
  for (std::uint64_t more = 0; simulated < kNight; ++more) simulated += is_green(settings_of(seed * 1000 + more, 1.5)).simulated_s;
}

}  // namespace
}  // namespace gleaner::world
