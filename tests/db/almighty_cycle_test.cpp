#include "almighty/cycle.hpp"

#include <gmock/gmock.h>

#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "lib/process/options.hpp"
#include "tests/db/grid_fixture.hpp"

/// The conductor's record of the turns of its modules.
namespace gleaner {
namespace {

using End = almighty::ModuleRun::Result;

class AlmightysCycle : public tests::GridFixture {
 protected:
  /// Modules that end as the test sets. All others succeed.
  class Told final : public almighty::Turns {
   public:
    almighty::ModuleRun run(std::string_view module, store::Term, const std::function<void()>&) override {
      const auto told = ends.find(module);
      if (told != ends.end()) return told->second;
      return {.module = std::string{module}, .result = End::succeeded, .detail = {}, .duration = {}};
    }
    std::vector<almighty::ModuleRun> collect() override { return std::exchange(over, {}); }

    std::map<std::string, almighty::ModuleRun, std::less<>> ends;
    std::vector<almighty::ModuleRun> over;
  };
  static almighty::ModuleRun end(End result, bool is_beside = false) {
    return {.module = "runner", .result = result, .detail = "exit status 70", .duration = {}, .is_beside = is_beside};
  }
  std::string cycle() {
    almighty::run_cycle(config, database, term, modules);
    return open_events();
  }
  std::string open_events() {
    return value("SELECT coalesce(string_agg(code || ': ' || message, ', ' ORDER BY code), '') FROM events WHERE state = 'open'");
  }

  process::Config config = process::default_config();
  Told modules;
};

TEST_F(AlmightysCycle, AFailedTurn_IsAnEvent_UntilATurnSucceeds) {
  modules.ends["runner"] = end(End::failed);
  EXPECT_EQ(cycle(), "MODULE_FAILED_runner: runner: exit status 70");
  modules.ends["runner"] = end(End::left_running);
  EXPECT_NE(cycle(), "");
  modules.ends["runner"] = end(End::succeeded);
  EXPECT_EQ(cycle(), "");
}

TEST_F(AlmightysCycle, ATurnBesideALongOne_ProvesNothing) {
  modules.over = {end(End::timed_out)};
  modules.ends["runner"] = end(End::succeeded, true);
  EXPECT_NE(cycle(), "");
  EXPECT_NE(cycle(), "");
  modules.over = {end(End::succeeded)};
  EXPECT_EQ(cycle(), "");
}

TEST_F(AlmightysCycle, WhatEndsAfterTheCycle_IsNotedToo) {
  modules.ends["runner"] = end(End::left_running);
  EXPECT_EQ(cycle(), "");
  modules.over = {end(End::failed)};
  almighty::report_over(database, term, modules);
  EXPECT_EQ(open_events(), "MODULE_FAILED_runner: runner: exit status 70");
  modules.over = {end(End::succeeded)};
  almighty::report_over(database, term, modules);
  EXPECT_EQ(open_events(), "");
}

TEST_F(AlmightysCycle, CountsCycles_AndTheTurnsOfEachModuleByHowTheyEnded_OnceEach) {
  const auto counted = [&] {
    return value(
        "SELECT string_agg(concat_ws(' ', nullif(name, ''), nullif(result, ''), kind, times), ', ' ORDER BY kind, name, result) "
        "FROM totals WHERE name IN ('', 'runner') AND times = (SELECT sum(n) FROM unnest(buckets) n)");
  };
  EXPECT_EQ(cycle(), "");
  EXPECT_EQ(counted(), "cycle 1, runner succeeded turn 1");
  modules.ends["runner"] = end(End::left_running);
  EXPECT_EQ(cycle(), "");
  EXPECT_EQ(counted(), "cycle 2, runner succeeded turn 1") << "it is not over";
  modules.over = {end(End::succeeded), end(End::failed)};
  modules.ends["runner"] = end(End::failed);
  cycle();
  EXPECT_EQ(counted(), "cycle 3, runner failed turn 2, runner succeeded turn 2");
  modules.over = {end(End::timed_out)};
  almighty::report_over(database, term, modules);
  EXPECT_EQ(value("SELECT times FROM totals WHERE kind = 'turn' AND name = 'runner' AND result LIKE 'timed%'"), "1");
}

}  // namespace
}  // namespace gleaner
