// The Python package, its executor, and the commands for workflow engines: tests/python, on a grid of their own.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "tests/system/grid_under_test.hpp"

namespace gleaner::tests {
namespace {

TEST(Python, PackageExecutorAndWorkflowCommands_PassTheirTests_AndLeaveTheGridConsistent) {
  GridUnderTest grid;
  grid.start_api();
  grid.almighty().start();
  const auto tests = std::string{std::getenv("GLEANER_SOURCE_DIR")} + "/tests/python/run";
  const auto ran = process::capture(
      {.arguments = {"/usr/bin/python3", "-B", tests}, .environment = {{"GLEANER_CONFIG", (grid.folder() / "gleaner.conf").string()}}},
      kHangGuard);
  ASSERT_TRUE(ran) << ran.error();
  EXPECT_TRUE(ran->end.succeeded()) << ran->output;
  EXPECT_THAT(ran->output, testing::HasSubstr("failed: none"));
  EXPECT_TRUE(grid.is_consistent());
}

}  // namespace
}  // namespace gleaner::tests
