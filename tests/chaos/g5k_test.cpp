#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/system/grid_under_test.hpp"

/// A site of Grid'5000 (a stand-in, minioar --api g5k) beside a cluster of OAR 2, and what breaks them.
namespace gleaner::tests {
namespace {

GridUnderTest::Wish with_a_site() {
  return {.clusters = {{.name = "alpha"}, {.name = "grenoble", .api = "g5k"}},
          .configuration = {{"submit_timeout", "1s"}, {"request_timeout", "5s"}, {"void_delay", "2s"}}};
}

TEST(Grid5000, ACampaignThereAndOnOar2_UnderLostAnswersAndPreemptions_RunsEachAttemptOnce) {
  GridUnderTest grid{with_a_site()};
  for (const auto* name : {"alpha", "grenoble"}) {
    grid.cluster(name).add_fault(R"({"mode":"empty","match":"POST /jobs","count":2,"after_commit":true})");
    grid.cluster(name).add_fault(R"({"mode":"500","match":"POST /jobs","count":2,"after_commit":true})");
    grid.cluster(name).add_fault(R"({"mode":"500","match":"POST /jobs","count":1,"after_commit":false})");
  }
  const auto campaign = grid.submit({.tasks = 32, .exec_file = grid.oracle().task("sleep 1"), .clusters = {"alpha", "grenoble"}});
  grid.almighty().start();
  ASSERT_TRUE(
      grid.becomes("SELECT count(*) > 2 FROM jobs j JOIN clusters c ON c.id = j.cluster_id WHERE c.name = 'grenoble' AND "
                   "j.state = 'terminated'",
                   "t"));
  grid.cluster("grenoble").preempt(3);
  ASSERT_TRUE(grid.terminates(campaign));
  EXPECT_EQ(grid.value("SELECT count(*) FROM tasks WHERE state <> 'done'"), "0");
  const auto runs = grid.oracle().executions(campaign);
  for (const auto& [attempt, times] : runs) EXPECT_EQ(times, 1) << "task " << attempt.first << ", attempt " << attempt.second;
  EXPECT_GT(grid.number("SELECT count(*) FROM launches l JOIN clusters c ON c.id = l.cluster_id WHERE c.name = 'grenoble' AND "
                        "l.unknown_at IS NOT NULL AND l.state = 'accepted'"),
            0)
      << "an answer that was lost was found again by the name of its job";
  EXPECT_TRUE(grid.is_consistent());
}

TEST(Grid5000, EndsOfAllKindsAreTheTasksOwn_ThereAlone) {
  GridUnderTest grid{{.clusters = {{.name = "grenoble", .api = "g5k"}}}};
  const auto campaign =
      grid.submit({.tasks = 8, .exec_file = grid.oracle().task("[ $CIGRI_JOB_NAME != 3 ] || exit 5"), .clusters = {"grenoble"}});
  grid.almighty().start();
  ASSERT_TRUE(grid.becomes("SELECT count(*) FROM tasks WHERE state = 'done'", "7"));
  ASSERT_TRUE(grid.becomes("SELECT charged FROM tasks WHERE number = 3", "1"));
  EXPECT_EQ(grid.value("SELECT exit_status FROM jobs WHERE task = 3 LIMIT 1"), std::to_string(5 << 8));
  EXPECT_EQ(grid.oracle().executions(campaign).size(), 7U) << "the task that failed ended before it noted itself";
}

}  // namespace
}  // namespace gleaner::tests
