#include <gtest/gtest.h>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <thread>

#include "tests/chaos/chosen.hpp"
#include "tests/system/grid_under_test.hpp"
#include "tests/system/trace.hpp"

/// Whatever dies while a prologue or an epilogue is sent or runs: each is carried out once, at its place.
namespace gleaner::tests {
namespace {

constexpr int kTasks = 4;

/// A grid whose campaign has scripts of a second, and tasks that wait for the gate.
class ScriptsUnderAttack {
 public:
  ScriptsUnderAttack()
      : grid{{.clusters = {{.name = "alpha", .nodes = 1, .cores = 8}},
              .configuration = {{"lease_duration", "3s"}, {"void_delay", "2s"}, {"submit_timeout", "1s"}, {"request_timeout", "2s"}}}},
        trace{grid.oracle().folder()} {}

  void submit() {
    grid.start_api();
    const auto script = [&](const std::string& name) { return fmt::format(R"(["sleep 1", "{}"])", trace.note(name)); };
    campaign = grid.gridsub(fmt::format(
        R"j({{"name": "scripts", "nb_jobs": {}, "exec_file": "bash -c '{}; {}'", "prologue": {}, "epilogue": {},
           "clusters": {{"alpha": {{}}}}}})j",
        kTasks, grid.oracle().waits_at_gate(), trace.note("task"), script("prologue"), script("epilogue")));
  }
  [[nodiscard]] ::testing::AssertionResult tasks_run() {
    return grid.becomes("SELECT count(*) FROM jobs WHERE task >= 0 AND state = 'running'", std::to_string(kTasks));
  }
  void expect_once_each() {
    EXPECT_EQ(trace.around_tasks_of("alpha"), "");
    EXPECT_EQ(trace.lines("task").size(), static_cast<std::size_t>(kTasks));
    EXPECT_TRUE(grid.is_consistent());
  }
  void end() {
    ASSERT_TRUE(grid.terminates(campaign));
    expect_once_each();
  }

  GridUnderTest grid;
  Trace trace;
  grid::CampaignId campaign{0};
};

struct Loss {
  const char* mode;
  bool carried_out;
};
constexpr std::array kLosses{Loss{"empty", true}, Loss{"empty", false}, Loss{"hang", true}, Loss{"500", false}};
class LostAnswerToAScript : public ::testing::TestWithParam<std::size_t> {};

TEST_P(LostAnswerToAScript, ItIsRunOnce) {
  if (!is_chosen(GetParam(), kLosses.size())) GTEST_SKIP() << kAnotherIsChosen;
  const auto& loss = kLosses[GetParam()];
  const auto fault = fmt::format(R"({{"mode":"{}","match":"POST /jobs","count":1,"after_commit":{}}})", loss.mode, loss.carried_out);
  ScriptsUnderAttack attack;
  attack.grid.cluster("alpha").add_fault(fault);
  attack.submit();
  attack.grid.almighty().start();
  ASSERT_TRUE(attack.tasks_run());
  attack.grid.cluster("alpha").add_fault(fault);
  attack.grid.oracle().open_gate();
  attack.end();
  EXPECT_GE(attack.grid.number("SELECT count(*) FROM launches WHERE script IS NOT NULL AND unknown_at IS NOT NULL"), 2);
}

INSTANTIATE_TEST_SUITE_P(By, LostAnswerToAScript, ::testing::Range(std::size_t{0}, kLosses.size()), [](const auto& each) {
  return fmt::format("{}{}", kLosses[each.param].mode, kLosses[each.param].carried_out ? "CarriedOut" : "Lost");
});

constexpr std::array<std::string_view, 7> kPlaces{"metascheduler.before_commit", "metascheduler.after_commit", "runner.before_post",
                                                  "runner.after_post",           "runner.after_accept",        "updator.before_write",
                                                  "updator.after_write"};
class DeathAtAScript : public ::testing::TestWithParam<std::size_t> {};

TEST_P(DeathAtAScript, ItIsRunOnce) {
  if (!is_chosen(GetParam(), kPlaces.size())) GTEST_SKIP() << kAnotherIsChosen;
  const std::string name{kPlaces[GetParam()]};
  const auto module = name.substr(0, name.find('.'));
  ScriptsUnderAttack attack;
  auto& grid = attack.grid;
  const auto deaths = fmt::format(
      "SELECT count(*) FROM cycles, jsonb_array_elements(modules) m WHERE m->>'module' = '{}' AND m->>'result' = 'failed'", module);
  // A runner that dies after its POST leaves a launch that its successor finds: there is no second passage.
  const int wanted = name.starts_with("runner.after") ? 1 : 2;
  const auto die_again_and_again = [&] {
    const auto before = grid.number(deaths);
    grid.almighty().start({{"GLEANER_FAILPOINT", name + ":1"}});
    EXPECT_TRUE(await([&] { return grid.number(deaths) >= before + wanted; })) << "it did not die";
    grid.almighty().kill();
    grid.almighty().start();
  };
  attack.submit();
  die_again_and_again();
  ASSERT_TRUE(attack.tasks_run());
  grid.almighty().kill();
  grid.oracle().open_gate();
  die_again_and_again();
  attack.end();
}

INSTANTIATE_TEST_SUITE_P(At, DeathAtAScript, ::testing::Range(std::size_t{0}, kPlaces.size()), [](const auto& each) {
  std::string text{kPlaces[each.param]};
  std::ranges::replace(text, '.', '_');
  return text;
});

/// OAR's server dies while a script waits or runs, and its API goes on.
TEST(DeathOfOar, WhileScriptsRun_EachIsRunOnce) {
  ScriptsUnderAttack attack;
  auto& alpha = attack.grid.cluster("alpha");
  const auto kill_server_while = [&](const std::string& script) {
    ASSERT_TRUE(attack.grid.becomes(
        fmt::format(
            "SELECT count(*) > 0 FROM jobs j JOIN launches l ON l.id = j.launch_id WHERE l.script = '{}' AND j.remote_id IS NOT NULL",
            script),
        "t"));
    alpha.kill_server("late", std::chrono::milliseconds{500});
    std::this_thread::sleep_for(std::chrono::milliseconds{700});  // how long it is away
    alpha.start_server();
  };
  attack.submit();
  attack.grid.almighty().start();
  kill_server_while("prologue");
  ASSERT_TRUE(attack.tasks_run());
  attack.grid.oracle().open_gate();
  kill_server_while("epilogue");
  attack.end();
}

}  // namespace
}  // namespace gleaner::tests
