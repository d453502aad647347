#include <gtest/gtest.h>

#include <cstdlib>
#include <iostream>

#include "sim/world/world.hpp"
#include "tests/seed.hpp"

/// Whole grids on a virtual clock, under every kind of fault, from seeds that change with the commit (docs/architecture/world.md).
namespace gleaner::world {
namespace {

constexpr double kSimulated = 30'000;

TEST(Worlds, OfSeveralSeeds_ExecuteEachTaskOnce_KeepTheLaws_AndEnd) {
  const auto seed = tests::test_seed();
  double simulated = 0;
  double real = 0;
  for (std::uint64_t more = 0; simulated < kSimulated; ++more) {
    Settings settings;
    settings.seed = seed * 1000 + more;
    settings.hours = 1.5;
    settings.cycle = std::chrono::seconds{20};
    settings.programs = std::getenv("GLEANER_BIN_DIR");
    const auto verdict = run(settings);
    EXPECT_TRUE(verdict.is_green()) << summary(verdict) << "again: " << command_of(settings);
    simulated += verdict.simulated_s;
    real += verdict.real_s;
  }
  RecordProperty("simulated_seconds_a_second", static_cast<int>(simulated / real));
  std::cout << "[ speed    ] " << simulated / real << " simulated seconds a second" << std::endl;
}

}  // namespace
}  // namespace gleaner::world
