#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/system/grid_under_test.hpp"

/// A cluster of OAR 2 and one of OAR 3 in one grid, and what breaks them.
namespace gleaner::tests {
namespace {

using ::testing::HasSubstr;

GridUnderTest::Wish two_kinds() {
  return {.clusters = {{.name = "alpha"}, {.name = "omega", .api = "oar3"}},
          .configuration = {{"submit_timeout", "1s"}, {"request_timeout", "5s"}, {"void_delay", "2s"}}};
}

/// Answers are lost after the submission was carried out and before, on both; jobs are killed, OAR's server dies and OAR 3's API breaks.
TEST(TwoKindsOfOar, ACampaignOnBoth_UnderFaults_RunsEachTaskOnce) {
  constexpr std::int64_t kTasks = 48;
  GridUnderTest grid{two_kinds()};
  for (const auto* name : {"alpha", "omega"}) {
    grid.cluster(name).add_fault(R"({"mode":"empty","match":"POST /jobs","count":1,"after_commit":true})");
    grid.cluster(name).add_fault(R"({"mode":"500","match":"POST /jobs","count":1,"after_commit":true})");
    grid.cluster(name).add_fault(R"({"mode":"500","match":"POST /jobs","count":1,"after_commit":false})");
  }
  const auto campaign = grid.submit({.tasks = kTasks, .exec_file = grid.oracle().task("sleep 1"), .clusters = {"alpha", "omega"}});
  grid.almighty().start();
  ASSERT_TRUE(
      grid.becomes("SELECT count(*) > 2 FROM jobs j JOIN clusters c ON c.id = j.cluster_id WHERE c.name = 'omega' AND "
                   "j.state = 'terminated'",
                   "t"));
  grid.cluster("omega").break_session();
  for (const auto* name : {"alpha", "omega"}) grid.cluster(name).preempt(3);
  ASSERT_TRUE(grid.becomes("SELECT reachable FROM clusters WHERE name = 'omega'", "f"));
  grid.cluster("omega").mend_session();
  ASSERT_TRUE(grid.terminates(campaign));
  EXPECT_EQ(grid.value("SELECT count(*) FROM tasks WHERE state <> 'done'"), "0");
  const auto runs = grid.oracle().executions(campaign);
  for (const auto& [attempt, times] : runs) EXPECT_EQ(times, 1) << "task " << attempt.first << ", attempt " << attempt.second;
  EXPECT_GT(grid.number("SELECT count(*) FROM jobs j JOIN clusters c ON c.id = j.cluster_id WHERE c.name = 'omega' AND j.state = "
                        "'terminated'"),
            0);
  EXPECT_GT(grid.number("SELECT count(*) FROM jobs j JOIN clusters c ON c.id = j.cluster_id WHERE c.name = 'alpha' AND j.state = "
                        "'terminated'"),
            0);
  EXPECT_TRUE(grid.is_consistent());
}

TEST(TwoKindsOfOar, ABrokenSession_IsAnOutageOfThatClusterAlone_AndStatesTheRemedy) {
  GridUnderTest grid{two_kinds()};
  grid.cluster("omega").break_session();
  const auto campaign = grid.submit({.tasks = 12, .exec_file = grid.oracle().task(), .clusters = {"alpha", "omega"}});
  grid.almighty().start();
  ASSERT_TRUE(grid.terminates(campaign)) << "the other cluster carries out all of it";
  EXPECT_TRUE(grid.is_exactly_done(campaign, 12));
  EXPECT_THAT(grid.value("SELECT message FROM events WHERE code = 'CLUSTER_UNREACHABLE'"), HasSubstr("until the API is restarted"));
  EXPECT_EQ(grid.value("SELECT count(*) FROM events WHERE code = 'CLUSTER_UNREACHABLE'"), "1");
  grid.cluster("omega").mend_session();
  EXPECT_TRUE(grid.becomes("SELECT reachable FROM clusters WHERE name = 'omega'", "t"));
}

TEST(TwoKindsOfOar, OnOar3Alone_EndsOfAllKindsAreTheTasksOwn) {
  GridUnderTest grid{{.clusters = {{.name = "omega", .api = "oar3"}}}};
  const auto campaign =
      grid.submit({.tasks = 8, .exec_file = grid.oracle().task("[ $CIGRI_JOB_NAME != 3 ] || exit 5"), .clusters = {"omega"}});
  grid.almighty().start();
  ASSERT_TRUE(grid.becomes("SELECT count(*) FROM tasks WHERE state = 'done'", "7"));
  ASSERT_TRUE(grid.becomes("SELECT charged FROM tasks WHERE number = 3", "1"));
  EXPECT_EQ(grid.value("SELECT exit_status FROM jobs WHERE task = 3 LIMIT 1"), std::to_string(5 << 8));
  EXPECT_EQ(grid.oracle().executions(campaign).size(), 7U) << "the task that failed ended before it noted itself";
}

}  // namespace
}  // namespace gleaner::tests
