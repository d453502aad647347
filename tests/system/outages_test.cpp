#include <gtest/gtest.h>

#include <fmt/format.h>

#include <array>
#include <chrono>
#include <thread>

#include "tests/system/grid_under_test.hpp"

/// A cluster that goes away and comes back: what the others do meanwhile is measured.
namespace gleaner::tests {
namespace {

/// One way for a whole cluster to be lost, and how it comes back.
struct Outage {
  const char* name;
  const char* fault;  ///< nothing: it is killed
};
constexpr std::array kOutages{Outage{"down", nullptr}, Outage{"hangs", R"({"mode":"hang"})"}, Outage{"answers 500", R"({"mode":"500"})"},
                              Outage{"answers HTML", R"({"mode":"html"})"}, Outage{"answers half a JSON", R"({"mode":"truncate"})"}};

class TwoClusters {
 public:
  explicit TwoClusters(GridUnderTest& grid) : grid_{grid} {}

  void begin(const Outage& outage) {
    if (outage.fault == nullptr) grid_.cluster("alpha").kill();
    else grid_.cluster("alpha").add_fault(outage.fault);
  }
  void end(const Outage& outage) {
    if (outage.fault == nullptr) grid_.cluster("alpha").start();
    else grid_.cluster("alpha").clear_faults();
  }
  /// The tasks that beta does in so many cycles' time.
  std::int64_t done_on_beta(std::chrono::milliseconds window) {
    const auto before = beta();
    std::this_thread::sleep_for(window);  // the length of what is measured
    return beta() - before;
  }
  testing::AssertionResult alpha_becomes(const char* reachable) {
    return grid_.becomes("SELECT reachable FROM clusters WHERE name = 'alpha'", reachable);
  }
  std::int64_t started_on_alpha() {
    return grid_.number(
        "SELECT count(*) FROM jobs j JOIN clusters k ON k.id = j.cluster_id WHERE k.name = 'alpha' AND j.started_at IS NOT NULL");
  }

 private:
  std::int64_t beta() {
    return grid_.number(
        "SELECT coalesce(sum(p.done), 0) FROM campaign_clusters p JOIN clusters k ON k.id = p.cluster_id WHERE k.name = 'beta'");
  }
  GridUnderTest& grid_;
};

TEST(LostCluster, DelaysNoOther_IsReportedByOneEvent_AndWorkReturnsByItself) {
  constexpr std::chrono::milliseconds kWindow{10'000};
  // A cycle is longer than what a module may take in the foreground, as by default.
  GridUnderTest grid{
      {.configuration = {{"cycle_period", "2500ms"}, {"module_patience", "1500ms"}, {"request_timeout", "4s"}, {"void_delay", "2s"}}}};
  TwoClusters clusters{grid};
  grid.almighty().start();
  const auto campaign = grid.submit({.tasks = 100'000, .exec_file = grid.oracle().task("sleep 1")});
  ASSERT_TRUE(grid.becomes("SELECT count(*) FROM campaign_clusters WHERE done >= 16", "2"));  // both are at full speed
  const auto healthy = clusters.done_on_beta(kWindow);
  ASSERT_GT(healthy, 0);
  for (const auto& outage : kOutages) {
    clusters.begin(outage);
    ASSERT_TRUE(clusters.alpha_becomes("f")) << outage.name;
    const auto meanwhile = clusters.done_on_beta(kWindow);
    EXPECT_GE(3 * meanwhile, 2 * healthy) << "alpha " << outage.name << ", and beta does " << meanwhile << " tasks instead of " << healthy;
    const auto started = clusters.started_on_alpha();
    clusters.end(outage);
    ASSERT_TRUE(clusters.alpha_becomes("t")) << outage.name;
    ASSERT_TRUE(await([&] { return clusters.started_on_alpha() > started; })) << outage.name << ": no work returned";
  }
  EXPECT_EQ(grid.number("SELECT count(*) FROM events WHERE code = 'CLUSTER_UNREACHABLE'"), static_cast<std::int64_t>(kOutages.size()));
  EXPECT_EQ(grid.value("SELECT count(*) FROM events WHERE code = 'CLUSTER_UNREACHABLE' AND (state = 'open' OR occurrences > 1)"), "0");

  grid.cancel(campaign);
  ASSERT_TRUE(grid.becomes("SELECT launching + submitted + running FROM campaigns", "0"));
  for (const auto& [execution, times] : grid.oracle().executions(campaign)) EXPECT_EQ(times, 1) << "task " << execution.first;
  // Nothing is lost: what is done was carried out; nothing is done twice: each execution is of one task.
  EXPECT_EQ(grid.value("SELECT count(*) FROM (SELECT FROM jobs WHERE ending = 'done' GROUP BY task HAVING count(*) > 1) twice"), "0");
  EXPECT_GE(grid.oracle().executions(campaign).size(), static_cast<std::size_t>(grid.number("SELECT done FROM campaigns")));
  EXPECT_TRUE(grid.is_consistent());
}

/// Its jobs were once taken for somebody else's, and sent again and again.
TEST(AnAdmissionRule, ThatRenamesJobs_IsReportedAsThat_BrakesItsCluster_AndLosesNoJob) {
  GridUnderTest grid{{.clusters = {{.name = "alpha"}}, .configuration = {{"brake_time", "1h"}, {"brake_time_max", "1h"}}}};
  grid.cluster("alpha").rename_jobs("by-a-rule");
  const auto campaign = grid.submit({.tasks = 60, .exec_file = grid.oracle().task(), .clusters = {"alpha"}});
  grid.almighty().start();
  ASSERT_TRUE(grid.becomes("SELECT count(*) FROM events WHERE code = 'JOBS_RENAMED' AND state = 'open'", "1"));
  EXPECT_NE(
      grid.value("SELECT message FROM events WHERE code = 'JOBS_RENAMED'").find("was changed to 'by-a-rule': an admission rule of alpha"),
      std::string::npos);
  ASSERT_TRUE(grid.becomes("SELECT count(*) FROM brakes", "1"));
  ASSERT_TRUE(grid.becomes("SELECT launching + submitted + running FROM campaigns", "0"));
  EXPECT_EQ(grid.value("SELECT count(*) FROM events WHERE code = 'REMOTE_ID_REUSED'"), "0");
  EXPECT_EQ(grid.value("SELECT count(*) FROM jobs WHERE ending IS DISTINCT FROM 'done'"), "0") << "those that were sent end as ever";
  grid.cluster("alpha").rename_jobs("");
  grid.execute("DELETE FROM brakes");
  EXPECT_TRUE(grid.terminates(campaign));
  EXPECT_TRUE(grid.is_exactly_done(campaign, 60));
}

}  // namespace
}  // namespace gleaner::tests
