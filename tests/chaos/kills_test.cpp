#include <gtest/gtest.h>
#include <signal.h>

#include <fmt/format.h>

#include <thread>

#include "tests/chaos/seed.hpp"
#include "tests/system/grid_under_test.hpp"

namespace gleaner::tests {
namespace {

/// Kills with -9, each time something else, at moments that nobody chose.
class Killer {
 public:
  Killer(GridUnderTest& grid, Dice& dice) : grid_{grid}, dice_{dice} {}

  void strike() {
    switch (dice_.roll(0, 3)) {
      case 0: return restart(grid_.almighty());
      case 1: return restart_cluster("alpha");
      default: return kill_a_module();
    }
  }

 private:
  static void restart(Service& service) {
    service.kill();
    service.start();
  }
  void restart_cluster(const std::string& name) {
    grid_.cluster(name).kill();
    grid_.cluster(name).start();
  }
  void kill_a_module() {
    std::vector<pid_t> modules;
    static_cast<void>(await(process::Duration{2'000}, [&] {
      modules = grid_.almighty().children();
      return !modules.empty();
    }));
    // Only a child of ours can have this number: almighty has not reaped it, or it is gone.
    if (!modules.empty()) ::kill(dice_.pick(modules), SIGKILL);
  }

  GridUnderTest& grid_;
  Dice& dice_;
};

TEST(AnyProcess, KilledAtAnyMoment_LosesNothing_AndRunsNothingTwice) {
  Dice dice{chaos_seed()};
  const int strikes = long_runs() ? 120 : 20;
  const std::int64_t tasks = long_runs() ? 600 : 120;
  GridUnderTest grid{{.configuration = {{"lease_duration", "2s"}, {"void_delay", "2s"}, {"cycle_period", "200ms"}}}};
  Killer killer{grid, dice};
  grid.almighty().start();
  const auto campaign = grid.submit({.tasks = tasks, .exec_file = grid.oracle().task("sleep 0.5")});
  for (int strike = 0; strike < strikes; ++strike) {
    std::this_thread::sleep_for(std::chrono::milliseconds{dice.roll(50, 700)});  // the random moment itself
    killer.strike();
  }
  ASSERT_TRUE(grid.terminates(campaign));
  EXPECT_TRUE(grid.is_exactly_done(campaign, tasks));
}

}  // namespace
}  // namespace gleaner::tests
