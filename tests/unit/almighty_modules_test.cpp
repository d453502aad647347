#include "almighty/modules.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <thread>

#include <unistd.h>

#include "lib/process/options.hpp"

namespace gleaner::almighty {
namespace {

using Result = ModuleRun::Result;

/// The letter of a process's state in /proc: Z when it is over and its parent has not looked yet.
char state_of(pid_t pid) {
  std::ifstream file{"/proc/" + std::to_string(pid) + "/stat"};
  std::string number, name;
  char state = 0;
  file >> number >> name >> state;
  return state;
}

TEST(Modules, Document003_ThePredictorFollowsTheUpdator_AndNikitaComesBeforeThePlan) {
  const auto place = [](std::string_view name) { return std::ranges::find(kModules, name) - kModules.begin(); };
  EXPECT_EQ(place("predictor"), place("updator") + 1);
  EXPECT_LT(place("nikita"), place("metascheduler"));
  EXPECT_LT(place("metascheduler"), place("runner"));
  EXPECT_EQ(place("runner") + 1, std::ssize(kModules)) << "each of these is one";
}

/// Modules that are shell scripts: each turn leaves a line "PID TERM" behind.
class ModulesOf : public testing::Test {
 protected:
  ModulesOf() { std::filesystem::create_directories(directory_); }
  ~ModulesOf() override { std::filesystem::remove_all(directory_); }

  void write_module(const std::string& script) const {
    const auto file = directory_ / "runner";
    std::ofstream{file} << "#!/bin/sh\n" << script;
    std::filesystem::permissions(file, std::filesystem::perms::owner_all);
  }
  /// Takes turn after turn, as production's modules do; `work` is what it does in each.
  void write_staying(const std::string& work = ":") const {
    write_module("while term=$(dd bs=256 count=1 2>/dev/null) && [ -n \"$term\" ]; do echo $$ $term >> " + turns_file() + "; " + work +
                 "; printf done >&0; done\n");
  }
  ModuleRun run(std::int64_t term) {
    return modules_.run("runner", term, [] {});
  }

  struct Turn {
    pid_t pid = 0;
    std::int64_t term = 0;
  };
  [[nodiscard]] std::vector<Turn> turns() const {
    std::ifstream file{turns_file()};
    std::vector<Turn> all;
    for (Turn turn; file >> turn.pid >> turn.term;) all.push_back(turn);
    return all;
  }
  [[nodiscard]] std::string turns_file() const { return (directory_ / "turns").string(); }
  /// The outcome of a turn left behind.
  [[nodiscard]] ModuleRun collected() {
    for (;;) {
      auto runs = modules_.collect();
      if (!runs.empty()) return runs.front();
      std::this_thread::sleep_for(std::chrono::milliseconds{10});
    }
  }

  std::filesystem::path directory_ = std::filesystem::temp_directory_path() / ("almighty_modules_" + std::to_string(::getpid()));
  process::Config config_ = [this] {
    auto config = process::default_config();
    config.bin_directory = directory_;
    config.module_patience = std::chrono::seconds{30};
    return config;
  }();
  Modules modules_{config_};
};

TEST_F(ModulesOf, AProcessThatEndsItsTurnWell_IsKeptForTheNext) {
  write_staying();
  ASSERT_EQ(run(7).result, Result::succeeded);
  EXPECT_EQ(run(8).result, Result::succeeded);
  ASSERT_EQ(turns().size(), 2U);
  EXPECT_EQ(turns()[0].pid, turns()[1].pid);
  EXPECT_EQ(turns()[0].term, 7);
  EXPECT_EQ(turns()[1].term, 8);
}

TEST_F(ModulesOf, AProgramThatDoesNotStay_IsStartedForEachTurn) {
  write_module("echo $$ 0 >> " + turns_file() + "\n");
  ASSERT_EQ(run(7).result, Result::succeeded);
  EXPECT_EQ(run(8).result, Result::succeeded);
  ASSERT_EQ(turns().size(), 2U);
  EXPECT_NE(turns()[0].pid, turns()[1].pid);
}

TEST_F(ModulesOf, AProcessThatEndsInItsTurn_HasItsEndReported_AndIsStartedAgain) {
  write_staying("[ $term != 8 ] || exit 3");
  EXPECT_EQ(run(7).result, Result::succeeded);
  const auto failed = run(8);
  EXPECT_EQ(failed.result, Result::failed);
  EXPECT_EQ(failed.detail, "exit status 3");
  EXPECT_EQ(run(9).result, Result::succeeded);
}

TEST_F(ModulesOf, AProcessKilledBetweenItsTurns_IsStartedAgain_AndNothingFailed) {
  write_staying();
  ASSERT_EQ(run(7).result, Result::succeeded);
  ASSERT_EQ(::kill(turns().front().pid, SIGKILL), 0);
  while (state_of(turns().front().pid) != 'Z') {
  }
  EXPECT_EQ(run(8).result, Result::succeeded);
  ASSERT_EQ(turns().size(), 2U);
  EXPECT_NE(turns()[0].pid, turns()[1].pid);
}

TEST_F(ModulesOf, ATurnThatTakesLong_IsLeftToItsProcess_WhichIsKeptAfterIt) {
  config_.module_patience = std::chrono::milliseconds{50};
  write_staying("[ $term != 7 ] || sleep 0.5");
  EXPECT_EQ(run(7).result, Result::left_running);
  EXPECT_TRUE(modules_.busy());
  EXPECT_EQ(collected().result, Result::succeeded);
  EXPECT_FALSE(modules_.busy());
  config_.module_patience = std::chrono::seconds{30};
  EXPECT_EQ(run(8).result, Result::succeeded);
  EXPECT_EQ(turns()[0].pid, turns()[1].pid);
}

TEST_F(ModulesOf, ATurnBesideOneThatTakesLong_HasAProcessOfItsOwn_AndOneOfThemStays) {
  config_.module_patience = std::chrono::milliseconds{50};
  write_staying("[ $term != 7 ] || sleep 0.5");
  EXPECT_EQ(run(7).result, Result::left_running);
  config_.module_patience = std::chrono::seconds{30};
  EXPECT_EQ(run(8).result, Result::succeeded);
  EXPECT_EQ(collected().result, Result::succeeded);
  EXPECT_EQ(run(9).result, Result::succeeded);
  ASSERT_EQ(turns().size(), 3U);
  EXPECT_NE(turns()[0].pid, turns()[1].pid);
  EXPECT_EQ(turns()[1].pid, turns()[2].pid);
  EXPECT_FALSE(std::filesystem::exists("/proc/" + std::to_string(turns()[0].pid)));
}

TEST_F(ModulesOf, ATurnOverItsTimeLimit_IsKilled) {
  config_.module_patience = config_.module_time_limit = std::chrono::milliseconds{50};
  write_staying("sleep 100");
  EXPECT_EQ(run(7).result, Result::left_running);
  EXPECT_EQ(collected().result, Result::timed_out);
}

TEST_F(ModulesOf, WhenTheyAreStopped_NoneIsLeft) {
  write_staying();
  EXPECT_EQ(run(7).result, Result::succeeded);
  modules_.stop();
  EXPECT_FALSE(std::filesystem::exists("/proc/" + std::to_string(turns().front().pid)));
}

TEST_F(ModulesOf, AModuleThatFailsAgainAndAgain_IsLeftOutForAWhile) {
  write_module("exit 3\n");
  for (int i = 0; i < 3; ++i) EXPECT_EQ(run(7).result, Result::failed);
  const auto skipped = run(7);
  EXPECT_EQ(skipped.result, Result::skipped);
  EXPECT_EQ(skipped.detail, "it failed 3 times in a row");
}

/// A turn that finds another one at it does nothing, and that is no proof that the module works.
TEST_F(ModulesOf, AModuleWhoseLongTurnsFail_IsLeftOutForAWhile_WhateverTheTurnsBesideThemSay) {
  write_staying("[ $term != 7 ] || { sleep 0.3; exit 3; }");
  for (int i = 0; i < 3; ++i) {
    config_.module_patience = std::chrono::milliseconds{50};
    EXPECT_EQ(run(7).result, Result::left_running);
    config_.module_patience = std::chrono::seconds{30};
    const auto beside = run(8);
    EXPECT_EQ(beside.result, Result::succeeded);
    EXPECT_TRUE(beside.is_beside);
    EXPECT_EQ(collected().result, Result::failed);
  }
  EXPECT_EQ(run(9).result, Result::skipped);
}

}  // namespace
}  // namespace gleaner::almighty
