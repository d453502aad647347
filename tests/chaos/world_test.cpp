#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <iostream>
#include <set>
#include <string>

#include "almighty/cycle.hpp"
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
  settings.cycle = std::chrono::seconds{30};
  settings.programs = std::getenv("GLEANER_BIN_DIR");
  return settings;
}

Verdict is_green(const Settings& settings) {
  auto verdict = run(settings);
  EXPECT_TRUE(verdict.is_green()) << summary(verdict) << "again: " << command_of(settings);
  std::cout << "[ speed    ] " << verdict.simulated_s / verdict.real_s << " simulated seconds a second" << std::endl;
  return verdict;
}

/// Situations that must have occurred when enough worlds were played.
std::set<std::string> all_that_may_happen() {
  std::set<std::string> all;
  for (const auto fault : all_faults()) all.emplace(name_of(fault));
  for (const auto module : almighty::kModules) all.insert(fmt::format("death of {}", module));
  all.insert({"death of almighty", "death of gridapi", "clock of host", "clock of OAR", "clock of nodes"});
  return all;
}

/// The kinds of faults by which these happen.
std::set<Fault> kinds_of(const std::set<std::string>& missing) {
  std::set<Fault> kinds;
  for (const auto fault : all_faults()) {
    if (missing.contains(std::string{name_of(fault)})) kinds.insert(fault);
  }
  for (const auto& what : missing) {
    if (what.starts_with("death of ")) kinds.insert(Fault::death);
    if (what.starts_with("clock of ")) kinds.insert(Fault::clocks);
  }
  return kinds;
}

TEST(Worlds, OfSeedsThatChangeWithTheCommit_ExecuteEachTaskOnce_KeepTheLaws_AndEnd) {
  constexpr std::uint64_t kMostSeeds = 9;
  const auto seed = tests::test_seed();
  auto missing = all_that_may_happen();
  double simulated = 0;
  for (std::uint64_t more = 0; simulated < kNight || (!missing.empty() && more < kMostSeeds); ++more) {
    auto settings = settings_of(seed * 1000 + more, 1.5);
    settings.clusters = 2;
    settings.campaigns = 4;
    // In the second half, what did not happen yet happens more often.
    if (simulated > kNight / 2) settings.often = kinds_of(missing);
    const auto verdict = is_green(settings);
    simulated += verdict.simulated_s;
    for (const auto& [what, times] : verdict.happened) missing.erase(what);
  }
  EXPECT_THAT(missing, testing::IsEmpty()) << "never happened in " << simulated << " simulated seconds";
}

class LongWorlds : public testing::Test {
 protected:
  void SetUp() override {
    if (std::getenv("GLEANER_TEST_LONG") == nullptr) GTEST_SKIP() << "an hour or more (--long)";
  }
  const std::uint64_t seed_ = tests::test_seed() * 1000;
};

TEST_F(LongWorlds, OfUsualSize_DoSoToo) {
  double simulated = 0;
  for (std::uint64_t more = 0; simulated < kNight; ++more) simulated += is_green(settings_of(seed_ + more, 1.5)).simulated_s;
}

TEST_F(LongWorlds, ThatHaveEachPairOfValuesOfTheCoveringArray_DoSoToo) {
  constexpr std::uint64_t kWorlds = 25;
  for (std::uint64_t more = 0; more < kWorlds; ++more) {
    auto settings = settings_of(seed_ + more, 1);
    settings.cycle = std::chrono::seconds{20};
    settings.clusters = 2;
    settings.campaigns = 8;
    settings.features = {Feature::array};
    is_green(settings);
  }
}

TEST_F(LongWorlds, OfAMonthOfABusyGrid_DoSoToo_AndHeal) {
  constexpr std::uint64_t kDays = 31;
  for (std::uint64_t day = 0; day < kDays; ++day) {
    auto settings = settings_of(seed_ + day, 24);
    settings.cycle = std::chrono::minutes{2};
    settings.campaigns = 100;
    settings.rate = 0.01;
    std::cout << summary(is_green(settings));
  }
}

}  // namespace
}  // namespace gleaner::world
