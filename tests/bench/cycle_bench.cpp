#include <fmt/format.h>
#include <gtest/gtest.h>

#include "lib/process/child.hpp"
#include "tests/bench/measure.hpp"

// A cycle costs what changed, not what is stored.
namespace gleaner::tests {
namespace {

constexpr int kRuns = 9;

class Cycle : public ::testing::Test {
 protected:
  Cycle() : grid{default_configuration(GridUnderTest::Backend::minioar)} {}

  /// A campaign whose jobs fill both clusters and stay: the cycles after that have nothing to launch.
  grid::CampaignId filling(std::int64_t tasks) {
    const auto id = grid.submit({.tasks = tasks, .exec_file = "sleep 600"});
    cycle();
    cycle();
    return id;
  }
  void cycle() {
    const auto ran = grid.run("almighty", {"--once"});
    ASSERT_TRUE(ran.end.succeeded()) << ran.output;
  }
  void end(grid::CampaignId campaign) {
    grid.cancel(campaign);
    cycle();
    ASSERT_TRUE(await([&] {
      cycle();
      return grid.number("SELECT count(*) FROM jobs WHERE state IN ('remote_waiting', 'running')") == 0;
    }));
  }

  GridUnderTest grid;
};

TEST_F(Cycle, WithAMillionTasksWaitingOrDone_TakesAtMostOneAndAHalfTimesOneWithAThousand) {
  const auto thousand = filling(1000);
  const double small = least_seconds(kRuns, [&] { cycle(); });
  end(thousand);

  const auto million = filling(1'000'000);
  psql(grid, "VACUUM ANALYZE");
  const double waiting = least_seconds_within(1.5 * small, kRuns, [&] { cycle(); });

  // As if the grid had done them all but the last thousand: a row a task and a row a job.
  grid.execute(fmt::format(
      "UPDATE tasks SET state = 'done' WHERE campaign_id = {0} AND state = 'waiting' AND number < 999000;"
      "UPDATE campaigns SET next_task = 999000 WHERE id = {0};"
      "INSERT INTO launches (campaign_id, cluster_id, state, jobs, resources, term, planned_at, settled_at, tag)"
      "  SELECT {0}, 1, 'accepted', 100, 100, 1, now(), now(), 'done-' || i FROM generate_series(1, 10000) i;"
      "ALTER TABLE jobs DISABLE TRIGGER USER;"
      "INSERT INTO jobs (launch_id, campaign_id, cluster_id, task, attempt, state, remote_id, resources, submitted_at, started_at, ended_at, exit_status, ending)"
      "  SELECT 1 + i / 100, {0}, 1, i, 0, 'terminated', 1000000 + i, 1, now(), now(), now(), 0, 'done' FROM generate_series(0, 998999) i;"
      "ALTER TABLE jobs ENABLE TRIGGER USER;"
      "INSERT INTO completions SELECT {0}, 1, date_trunc('minute', now()) - m * interval '1 minute', 8000 FROM generate_series(1, 120) m",
      million.value()));
  psql(grid, "VACUUM ANALYZE");
  const double done = least_seconds_within(1.5 * small, kRuns, [&] { cycle(); });
  report("one cycle with 1 000 tasks, 1 000 000 waiting, 999 000 done",
         fmt::format("{:.0f} ms, {:.0f} ms, {:.0f} ms: ratios {:.2f} and {:.2f}", small * 1e3, waiting * 1e3, done * 1e3, waiting / small,
                     done / small));
  EXPECT_LE(waiting, 1.5 * small);
  EXPECT_LE(done, 1.5 * small);
}

}  // namespace
}  // namespace gleaner::tests
