#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/bench/measure.hpp"

// An idle grid costs nothing. Processor time is measured, not elapsed time: it may run beside others.
namespace gleaner::tests {
namespace {

TEST(Cycle, OfAnIdleGrid_TakesUnderTwoPercentOfACore) {
  GridUnderTest grid{default_configuration(GridUnderTest::Backend::minioar)};
  grid.almighty().start();
  grid.api().start();
  ASSERT_TRUE(grid.becomes("SELECT count(*) > 0 FROM cycles WHERE ended_at IS NOT NULL", "t"));
  const auto postgres = parent_of(static_cast<pid_t>(grid.number("SELECT pg_backend_pid()")));
  const auto used = [&] {
    return processor_seconds(grid.almighty().pid()) + processor_seconds(grid.api().pid()) + processor_seconds(postgres) +
           processor_seconds_of_children(postgres);
  };
  const double before = used();
  // Two idle periods, in which nobody asks anything of the grid: time is what is waited for.
  const double seconds = seconds_of([] { static_cast<void>(await([] { return false; }, process::Duration{60'000})); });
  const double share = (used() - before) / seconds;
  report("an idle grid: almighty, its modules, gridapi and PostgreSQL",
         fmt::format("{:.2f} % of a core over {:.0f} s", share * 100, seconds));
  EXPECT_LT(share, 0.02);
}

}  // namespace
}  // namespace gleaner::tests
