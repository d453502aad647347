// gridwait waits on the stream of changes.
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include <fmt/format.h>

#include "tests/system/grid_under_test.hpp"

namespace gleaner::tests {
namespace {

constexpr process::Duration kLongestWait{60'000};

int sockets_of(pid_t process) {
  int count = 0;
  for (const auto& entry : std::filesystem::directory_iterator{fmt::format("/proc/{}/fd", process)}) {
    std::error_code gone;
    count += std::filesystem::read_symlink(entry.path(), gone).string().starts_with("socket:") ? 1 : 0;
  }
  return count;
}

TEST(Waiting, EndIsSeenOnTheStream_WithoutAnotherLook_AlsoWhenTheApiWasRestartedMeanwhile) {
  GridUnderTest grid;
  grid.start_api();
  grid.almighty().start();
  const auto campaign = grid.gridsub(grid.jdl_of({.tasks = 3, .exec_file = grid.oracle().gated_task()}));
  // A look an hour: without the stream the test would not end.
  auto waiter = grid.background("gridwait", {std::to_string(campaign.value()), "--period", "1h"});
  waiter.start();
  // The connection of its first look, and what it waits with.
  ASSERT_TRUE(await(kLongestWait, [&] { return waiter.is_running() && sockets_of(waiter.pid()) >= 3; }));
  grid.api().kill();
  grid.start_api();
  ASSERT_TRUE(grid.becomes(fmt::format("SELECT running FROM campaigns WHERE id = {}", campaign.value()), "3"));
  EXPECT_TRUE(waiter.is_running());
  grid.oracle().open_gate();
  ASSERT_TRUE(grid.terminates(campaign));
  EXPECT_TRUE(await(kLongestWait, [&] { return !waiter.is_running(); }));
  EXPECT_NE(tail_of(waiter.log(), 3).find("is terminated: 3 of 3 tasks done"), std::string::npos) << tail_of(waiter.log(), 9);
}

}  // namespace
}  // namespace gleaner::tests
