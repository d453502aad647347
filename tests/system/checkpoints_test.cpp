#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/system/grid_under_test.hpp"

/// A task that writes checkpoints, is preempted, and continues.
namespace gleaner::tests {
namespace {

using ::testing::HasSubstr;

class Checkpoints : public ::testing::TestWithParam<GridUnderTest::Backend> {
 protected:
  static bool is_real() { return GetParam() == GridUnderTest::Backend::real_oar; }
};

/// Adds the numbers from 1 on, to more than a hundred, and ends in its fourth attempt; it fails if its sum is wrong. Its state is
/// the last number, the sum, and how often it was continued.
constexpr const char* kAdds = R"(bash -c 'read -r n s r 2>/dev/null <$CIGRI_CHECKPOINT/state || { n=0; s=0; r=-1; }; )"
                              R"(r=$((r+1)); [ $r -gt 0 ] || [ $CIGRI_ATTEMPT = 0 ] || exit 4; )"
                              R"(trap "echo \$n \$s \$r >$CIGRI_CHECKPOINT/new; mv $CIGRI_CHECKPOINT/new $CIGRI_CHECKPOINT/state" USR1; )"
                              R"(until [ $CIGRI_ATTEMPT = 3 ] && [ $n -gt 100 ]; do sleep 0.05; s=$((s+n+1)) n=$((n+1)); done; )"
                              R"(echo $n $s continued $r times; [ $s = $((n*(n+1)/2)) ] || exit 3' task)";

TEST_P(Checkpoints, ATaskThatIsPreemptedThreeTimes_ContinuesOnItsCluster_AndEndsWithTheRightResult) {
  if (is_real() && real_clusters().empty()) GTEST_SKIP() << "GLEANER_TEST_OAR names no testbed: nothing is tested on real OAR here";
  GridUnderTest::Wish wish{.backend = GetParam(), .configuration = {{"cycle_period", is_real() ? "2s" : "200ms"}}};
  if (is_real()) wish.clusters.clear();
  GridUnderTest grid{wish};
  const auto campaign =
      grid.gridsub({.tasks = 1, .exec_file = kAdds, .more_keys = R"("checkpoint":{"signal":"USR1","period":"0:00:02","cost":"0:00:01"})"});
  grid.almighty().start();
  const int cores = is_real() ? 16 : 8;
  std::string first;
  for (int preemption = 1; preemption <= 3; ++preemption) {
    // The second signal of the attempt: what the first one asked for was written before.
    ASSERT_TRUE(grid.becomes("SELECT count(*) FROM jobs WHERE state = 'running' AND checkpointed_at > started_at + interval '4 s'", "1"))
        << preemption;
    const auto cluster = grid.value("SELECT k.name FROM jobs j JOIN clusters k ON k.id = j.cluster_id WHERE j.state = 'running'");
    if (first.empty()) first = cluster;
    EXPECT_EQ(cluster, first);
    submit_local(*std::ranges::find(grid.clusters(), cluster, &TestCluster::name),
                 {.cores = cores, .user = is_real() ? "griduser2" : "bob"});
    ASSERT_TRUE(grid.becomes("SELECT count(*) FROM jobs WHERE ending = 'preempted'", std::to_string(preemption)));
  }
  ASSERT_TRUE(grid.terminates(campaign));
  EXPECT_EQ(grid.value("SELECT state || ' ' || attempt || ' ' || charged || ' ' || uncounted FROM tasks"), "done 3 0 3");
  EXPECT_EQ(grid.value("SELECT string_agg(ending, ' ' ORDER BY id) FROM jobs"), "preempted preempted preempted done");
  EXPECT_EQ(grid.value("SELECT count(DISTINCT cluster_id) FROM jobs"), "1");
  EXPECT_EQ(grid.value("SELECT sum(interruptions) || ' ' || (sum(exposed_s) > 0) FROM campaign_clusters"), "0 true")
      << "OAR signalled each time before";
  EXPECT_EQ(grid.value("SELECT lost_seconds < (SELECT sum(extract(epoch FROM ended_at - started_at)) FROM jobs WHERE "
                       "ending = 'preempted') FROM usage"),
            "t")
      << "what was saved is not lost";
  const auto shown = grid.run("gridstat", {std::to_string(campaign.value()), "--task", "0"});
  EXPECT_THAT(shown.output, HasSubstr("Checkpoint"));
  const auto printed = grid.run("gridstat", {std::to_string(campaign.value()), "--task", "0", "-O"});
  EXPECT_THAT(printed.output, HasSubstr("continued 3 times"));
  EXPECT_TRUE(grid.is_consistent());
}

/// Document 003, the profile of a task. A minioar gives jobs no cgroup, which alone shows their memory beside a signal.
TEST_P(Checkpoints, ATaskThatWritesThem_IsMeasured) {
  if (is_real()) GTEST_SKIP() << "the other test has real clusters for minutes; the wrapper is the same";
  GridUnderTest grid{{.backend = GetParam(), .configuration = {{"cycle_period", "200ms"}}}};
  const auto campaign = grid.gridsub({.tasks = 2,
                                      .exec_file = R"(bash -c 'trap : USR1; for ((i = 0; i < 200000; ++i)); do :; done' task)",
                                      .more_keys = R"("checkpoint":{"signal":"USR1","period":"0:00:02","cost":"0:00:01"})"});
  grid.almighty().start();
  ASSERT_TRUE(grid.terminates(campaign));
  ASSERT_EQ(grid.value("SELECT string_agg(state::text, ' ') FROM tasks"), "done done") << "the signal of a slow machine ends none";
  EXPECT_EQ(grid.value("SELECT sum(measured) || ' ' || sum(cpu_jobs) || ' ' || (sum(cpu_s) > 0) FROM campaign_clusters"), "2 2 true");
  EXPECT_EQ(grid.value("SELECT bool_and(cpu_s > 0) FROM jobs"), "t");
}

std::string name_of_backend(const ::testing::TestParamInfo<GridUnderTest::Backend>& info) {
  return info.param == GridUnderTest::Backend::minioar ? "Minioar" : "RealOar";
}
INSTANTIATE_TEST_SUITE_P(OnEachBackend, Checkpoints, ::testing::Values(GridUnderTest::Backend::minioar, GridUnderTest::Backend::real_oar),
                         name_of_backend);

}  // namespace
}  // namespace gleaner::tests
