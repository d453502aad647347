#include <gtest/gtest.h>

#include <fmt/format.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>

#include "tests/db/postgres.hpp"
#include "tests/system/grid_under_test.hpp"

/// A cluster, or the database, that goes away and comes back.
namespace gleaner::tests {
namespace {

constexpr process::Duration kPatience{90'000};

int count_of(const std::string& text, const std::filesystem::path& file) {
  std::ifstream lines{file};
  int count = 0;
  for (std::string line; std::getline(lines, line);) count += line.find(text) != std::string::npos ? 1 : 0;
  return count;
}

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
  /// What beta does in so many cycles' time, in tasks.
  std::int64_t done_on_beta(std::chrono::milliseconds window) {
    const auto before = beta();
    std::this_thread::sleep_for(window);  // the length of what is measured
    return beta() - before;
  }
  testing::AssertionResult alpha_becomes(const char* reachable) {
    return grid_.becomes("SELECT reachable FROM clusters WHERE name = 'alpha'", reachable, kPatience);
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

TEST(LostCluster, DelaysNoOther_IsToldByOneEvent_AndWorkReturnsByItself) {
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
    ASSERT_TRUE(await(kPatience, [&] { return clusters.started_on_alpha() > started; })) << outage.name << ": no work returned";
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

TEST(LostDatabase, InMidCampaign_EverythingResumesByItself) {
  const std::chrono::seconds length{long_runs() ? 20 : 5};
  GridUnderTest grid;
  grid.start_api();
  grid.almighty().start();
  const auto almighty = grid.almighty().pid();
  const auto api = grid.api().pid();
  const auto campaign = grid.gridsub(grid.jdl_of({.tasks = 120, .exec_file = grid.oracle().task("sleep 0.5")}));
  ASSERT_TRUE(grid.becomes("SELECT done > 5 FROM campaigns", "t"));
  PrivatePostgres::instance().stop();
  std::this_thread::sleep_for(length);  // the outage itself
  EXPECT_EQ(grid.run("gridstat", {}).end.exit_status, 5);
  PrivatePostgres::instance().start();
  ASSERT_TRUE(grid.terminates(campaign));
  EXPECT_TRUE(grid.is_exactly_done(campaign, 120));
  EXPECT_TRUE(grid.run("gridwait", {std::to_string(campaign.value())}).end.succeeded());
  EXPECT_TRUE(grid.almighty().is_running() && grid.almighty().pid() == almighty);
  EXPECT_TRUE(grid.api().is_running() && grid.api().pid() == api);
}

/// Of every session of the server, new or not, while this lives.
class ReadOnlyServer {
 public:
  ReadOnlyServer() { set("on"); }
  ~ReadOnlyServer() { set("off"); }
  ReadOnlyServer(const ReadOnlyServer&) = delete;
  ReadOnlyServer& operator=(const ReadOnlyServer&) = delete;

 private:
  static void set(const char* value) {
    PrivatePostgres::instance().administer(fmt::format("ALTER SYSTEM SET default_transaction_read_only = {}", value));
    PrivatePostgres::instance().administer("SELECT pg_reload_conf()");
  }
};

TEST(LostDatabase, ThatTakesNoWritesForAWhile_IsWaitedFor_AndOneEventTellsIt) {
  GridUnderTest grid{{.configuration = {{"lease_duration", "2s"}}}};
  grid.start_api();
  grid.almighty().start();
  const auto almighty = grid.almighty().pid();
  const auto waits = [&] { return count_of("event=\"waiting for the database\"", grid.almighty().log()); };
  const auto jdl = grid.jdl_of({.tasks = 80, .exec_file = grid.oracle().task("sleep 0.3")});
  const auto campaign = grid.gridsub(jdl);
  ASSERT_TRUE(grid.becomes("SELECT done > 5 FROM campaigns", "t"));
  {
    const ReadOnlyServer read_only;
    ASSERT_TRUE(await(kPatience, [&] { return waits() > 0; }));
    EXPECT_EQ(grid.run("gridsub", {"--json", jdl}).end.exit_status, 5) << "the API asks to try again later";
    EXPECT_TRUE(grid.run("gridstat", {}).end.succeeded()) << "what only reads goes on";
    std::this_thread::sleep_for(std::chrono::seconds{long_runs() ? 20 : 4});  // the outage itself
    EXPECT_LE(waits(), 3) << "the log is not filled with the same";
  }
  ASSERT_TRUE(grid.terminates(campaign));
  EXPECT_TRUE(grid.is_exactly_done(campaign, 80));
  EXPECT_TRUE(grid.almighty().is_running() && grid.almighty().pid() == almighty);
  EXPECT_EQ(grid.value("SELECT count(*) || ' ' || min(state) FROM events WHERE code = 'DATABASE_UNAVAILABLE'"), "1 closed");
}

}  // namespace
}  // namespace gleaner::tests
