#include <gtest/gtest.h>

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "tests/db/postgres.hpp"
#include "tests/system/grid_under_test.hpp"

/// The database that goes away, or takes no writes, and comes back.
namespace gleaner::tests {
namespace {

int count_of(const std::string& text, const std::filesystem::path& file) {
  std::ifstream lines{file};
  int count = 0;
  for (std::string line; std::getline(lines, line);) count += line.find(text) != std::string::npos ? 1 : 0;
  return count;
}

/// How often almighty has said that it waits.
int waits_of(GridUnderTest& grid) { return count_of("event=\"waiting for the database\"", grid.almighty().log()); }

TEST(LostDatabase, InMidCampaign_EverythingResumesByItself) {
  GridUnderTest grid;
  grid.start_api();
  grid.almighty().start();
  const auto almighty = grid.almighty().pid();
  const auto api = grid.api().pid();
  const auto campaign = grid.gridsub(grid.jdl_of({.tasks = 120, .exec_file = grid.oracle().task("sleep 0.5")}));
  ASSERT_TRUE(grid.becomes("SELECT done > 5 FROM campaigns", "t"));
  PrivatePostgres::instance().stop();
  ASSERT_TRUE(await([&] { return waits_of(grid) > 0; }));
  EXPECT_EQ(grid.run("gridstat", {}).end.exit_status, 5);
  PrivatePostgres::instance().start();
  ASSERT_TRUE(grid.terminates(campaign));
  EXPECT_TRUE(grid.is_exactly_done(campaign, 120));
  EXPECT_TRUE(grid.run("gridwait", {std::to_string(campaign.value())}).end.succeeded());
  EXPECT_TRUE(grid.almighty().is_running() && grid.almighty().pid() == almighty);
  EXPECT_TRUE(grid.api().is_running() && grid.api().pid() == api);
}

/// Makes every session of the server read-only, new or not, while this lives.
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

TEST(LostDatabase, ThatTakesNoWritesForAWhile_IsWaitedFor_AndOneEventReportsIt) {
  GridUnderTest grid{{.configuration = {{"lease_duration", "2s"}}}};
  grid.start_api();
  grid.almighty().start();
  const auto almighty = grid.almighty().pid();
  // Each attempt to write that the server refuses.
  const auto refusals = [&] { return grid.number("SELECT xact_rollback FROM pg_stat_database WHERE datname = current_database()"); };
  const auto jdl = grid.jdl_of({.tasks = 80, .exec_file = grid.oracle().task("sleep 0.3")});
  const auto campaign = grid.gridsub(jdl);
  ASSERT_TRUE(grid.becomes("SELECT done > 5 FROM campaigns", "t"));
  {
    const ReadOnlyServer read_only;
    ASSERT_TRUE(await([&] { return waits_of(grid) > 0; }));
    EXPECT_EQ(grid.run("gridsub", {"--json", jdl}).end.exit_status, 5) << "the API asks to try again later";
    EXPECT_TRUE(grid.run("gridstat", {}).end.succeeded()) << "what only reads goes on";
    const auto before = refusals();
    ASSERT_TRUE(await([&] { return refusals() >= before + 8; })) << "almighty tries again and again";
    EXPECT_LE(waits_of(grid), 3) << "the log is not filled with the same";
  }
  ASSERT_TRUE(grid.terminates(campaign));
  EXPECT_TRUE(grid.is_exactly_done(campaign, 80));
  EXPECT_TRUE(grid.almighty().is_running() && grid.almighty().pid() == almighty);
  EXPECT_EQ(grid.value("SELECT count(*) || ' ' || min(state) FROM events WHERE code = 'DATABASE_UNAVAILABLE'"), "1 closed");
}

}  // namespace
}  // namespace gleaner::tests
