#include <gtest/gtest.h>

#include <cstdlib>
#include <iostream>

#include "sim/world/world.hpp"
#include "tests/seed.hpp"

/// Whole grids on a virtual clock, under every kind of fault, from seeds that change with the commit (docs/architecture/world.md).
namespace gleaner::world {
namespace {

/// So many simulated seconds are played: of small worlds, which are fast; with --long of usual ones, too.
constexpr double kNight = 30'000;

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

TEST(Worlds, OfSeedsThatChangeWithTheCommit_ExecuteEachTaskOnce_KeepTheLaws_AndEnd) {
  const auto seed = tests::test_seed();
  double simulated = 0;
  for (std::uint64_t more = 0; simulated < kNight; ++more) {
    auto settings = settings_of(seed * 1000 + more, 1.5);
    settings.clusters = 2;
    settings.campaigns = 4;
    simulated += is_green(settings).simulated_s;
  }
}

TEST(Worlds, OfUsualSize_DoSoToo) {
  if (std::getenv("GLEANER_TEST_LONG") == nullptr) GTEST_SKIP() << "30 000 simulated seconds of several seeds (--long)";
  const auto seed = tests::test_seed();
  double simulated = 0;
  for (std::uint64_t more = 0; simulated < kNight; ++more) simulated += is_green(settings_of(seed * 1000 + more, 1.5)).simulated_s;
}

}  // namespace
}  // namespace gleaner::world
