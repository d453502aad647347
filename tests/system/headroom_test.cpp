#include <fmt/format.h>
#include <gtest/gtest.h>

#include <memory>

#include "tests/system/grid_under_test.hpp"

/// Resources that the grid leaves free for local jobs.
namespace gleaner::tests {
namespace {

class Headroom : public ::testing::TestWithParam<GridUnderTest::Backend> {
 protected:
  void SetUp() override {
    if (is_real() && real_clusters().empty()) GTEST_SKIP() << "GLEANER_TEST_OAR names no testbed: nothing is tested on real OAR here";
    GridUnderTest::Wish wish;
    wish.backend = GetParam();
    if (is_real()) wish.clusters.clear();
    wish.configuration = {{"headroom", "2"}};
    grid = std::make_unique<GridUnderTest>(wish);
  }
  [[nodiscard]] static bool is_real() { return GetParam() == GridUnderTest::Backend::real_oar; }
  /// So many further cycles.
  void pass(int cycles) {
    const auto last = grid->number("SELECT coalesce(max(id), 0) FROM cycles");
    ASSERT_TRUE(grid->becomes(fmt::format("SELECT max(id) >= {} FROM cycles", last + cycles), "t"));
  }
  std::unique_ptr<GridUnderTest> grid;
};

TEST_P(Headroom, StaysFree_SoThatALocalJobStartsWithoutAKill_AndIsNotFilledAgain) {
  ASSERT_TRUE(grid->run("almighty", {"--once"}).end.succeeded());
  const auto cores = grid->number("SELECT sum(max_resources) FROM clusters");
  const auto tasks = static_cast<int>(2 * cores);
  const auto campaign = grid->submit({.tasks = tasks, .exec_file = grid->oracle().gated_task()});
  grid->almighty().start();
  const auto running = fmt::format("SELECT running FROM campaigns WHERE id = {}", campaign.value());
  const auto filled = std::to_string(cores - 4);
  ASSERT_TRUE(grid->becomes(running, filled)) << "all but two resources of each cluster";
  EXPECT_TRUE(grid->becomes("SELECT count(*) FROM decisions WHERE reason = 'kept_for_local_jobs'", "2"));
  const LocalJob job{.cores = 2, .command = "sleep 600", .user = is_real() ? "griduser2" : "bob", .walltime = "0:15:0"};
  const auto local = submit_local(grid->clusters().front(), job);
  ASSERT_TRUE(grid->becomes("SELECT count(*) > 0 FROM gridstatus WHERE used - our_running >= 2", "t"));
  pass(3);
  EXPECT_EQ(grid->value(running), filled);
  EXPECT_EQ(grid->value("SELECT count(*) FROM jobs WHERE state = 'remote_waiting'"), "0");
  EXPECT_EQ(grid->value("SELECT count(*) FROM jobs WHERE ending = 'preempted'"), "0");
  delete_local(grid->clusters().front(), job.user, local);
  grid->oracle().open_gate();
  EXPECT_TRUE(grid->terminates(campaign));
  EXPECT_TRUE(grid->is_exactly_done(campaign, tasks));
  EXPECT_EQ(grid->value("SELECT count(*) FROM jobs WHERE ending = 'preempted'"), "0");
}

/// A property that is not less than the cores of any node: the memory.
TEST_P(Headroom, AndLoadThatKeepsAllNodesBusy_LetsNothingStart_UntilItCountsNoLonger) {
  grid->almighty().start();
  ASSERT_TRUE(
      grid->becomes("SELECT count(DISTINCT cluster_id) FROM (SELECT *, max(time) OVER (PARTITION BY cluster_id) AS last FROM gridstatus) "
                    "s WHERE time = last AND used = 0",
                    "2"))
      << "what the jobs before left would be available at once";
  grid->execute("UPDATE clusters SET headroom = '0', availability = 'combined', load_property = 'mem', resources_at = NULL");
  ASSERT_TRUE(grid->becomes("SELECT sum(loaded_resources) = sum(max_resources) FROM clusters", "t"));
  const auto campaign = grid->submit({.tasks = 4, .exec_file = grid->oracle().task()});
  EXPECT_TRUE(grid->becomes("SELECT count(*) FROM decisions WHERE reason = 'busy_without_job'", "2"));
  EXPECT_EQ(grid->value("SELECT count(*) FROM jobs"), "0");
  EXPECT_EQ(grid->value("SELECT count(*) FROM events WHERE code = 'LOAD_UNKNOWN'"), "0");
  grid->execute("UPDATE clusters SET availability = 'dedicated'");
  EXPECT_TRUE(grid->terminates(campaign));
  EXPECT_TRUE(grid->is_exactly_done(campaign, 4));
}

INSTANTIATE_TEST_SUITE_P(OnEachBackend, Headroom, ::testing::Values(GridUnderTest::Backend::minioar, GridUnderTest::Backend::real_oar),
                         [](const auto& one) { return std::string{one.param == GridUnderTest::Backend::minioar ? "Minioar" : "RealOar"}; });

}  // namespace
}  // namespace gleaner::tests
