#pragma once
#include <signal.h>

#include <string>
#include <vector>

#include "tests/seed.hpp"
#include "tests/system/grid_under_test.hpp"

namespace gleaner::tests {

/// Kills with -9, each time something else: the conductor, the API, or whichever module runs. Processes that the grid itself would not
/// start again are started again.
class Killer {
 public:
  Killer(GridUnderTest& grid, Dice& dice) : grid_{grid}, dice_{dice} {}

  void strike() {
    switch (dice_.roll(0, 3)) {
      case 0: return restart(grid_.almighty());
      case 1: return restart(grid_.api());
      default: return kill_a_module();
    }
  }
  void kill_a_module() {
    constexpr process::Duration kNextCycle{3'000};
    std::vector<pid_t> modules;
    const auto one_runs = [&] {
      modules = grid_.almighty().children();
      return !modules.empty();
    };
    static_cast<void>(await(one_runs, kNextCycle));
    if (!modules.empty()) ::kill(dice_.pick(modules), SIGKILL);
  }
  static void restart(Service& service) {
    service.kill();
    service.start();
  }

 private:
  GridUnderTest& grid_;
  Dice& dice_;
};

}  // namespace gleaner::tests
