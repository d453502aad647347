#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fmt/format.h>

#include "tests/db/played_grid.hpp"
#include "tests/seed.hpp"

/// Launches that OAR gave up, and whose jobs run all the same (docs/architecture/exactly-once.md), in a world: OAR knows nothing of such a
/// run, and sends another job in its place.
namespace gleaner::tests {
namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;

world::Settings one_cluster() {
  world::Settings settings;
  settings.seed = test_seed();
  settings.clusters = 1;
  settings.cycle = std::chrono::seconds{30};
  return settings;
}

TEST(GivenUpLaunch, WhoseRunTakesLongerThanItsWalltime_DoesTheTask_AndNothingBeginsBesideIt) {
  PlayedGrid grid{one_cluster(), 0};
  auto& cluster = grid.cluster("k00");
  cluster.fail_launch(minioar::LaunchFate::run_twice);
  const auto campaign = grid.ask("alice", "POST", "/v1/campaigns",
                                 R"({"name": "long", "params": ["run=250 exit=0"], "clusters": {"k00": {"exec_file": "task",)"
                                 R"( "walltime": "0:02:00"}}})");
  ASSERT_EQ(campaign.status, 201U) << campaign.body;
  const auto target = fmt::format("/v1/campaigns/{}", campaign.json["id"].integer());
  ASSERT_FALSE(grid.play_until([] { return false; }, 200));
  ASSERT_THAT(cluster.unseen(), SizeIs(1)) << "it runs, and OAR knows nothing of it";
  const auto is_over = [&] { return grid.ask("alice", "GET", target).json["state"].text() == "terminated"; };
  EXPECT_TRUE(grid.play_until(is_over, 3600)) << grid.ask("alice", "GET", target + "/decisions").body;
  EXPECT_THAT(cluster.unseen(), IsEmpty());
  ASSERT_THAT(cluster.works(), SizeIs(1)) << "one attempt";
  EXPECT_TRUE(cluster.works()[0].is_whole);
  const auto tasks = grid.ask("alice", "GET", target + "/tasks");
  EXPECT_THAT(tasks.body, testing::HasSubstr(R"("state":"done")"));
}

}  // namespace
}  // namespace gleaner::tests
