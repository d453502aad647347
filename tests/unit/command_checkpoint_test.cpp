#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "lib/text/words.hpp"
#include "runner/command/command.hpp"

/// The wrapper of a job whose task writes checkpoints. OAR signals the wrapper alone.
namespace gleaner::runner {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;
namespace fs = std::filesystem;

class CheckpointWrapper : public ::testing::Test {
 protected:
  CheckpointWrapper() {
    auto pattern = (fs::temp_directory_path() / "gleaner-checkpoint-XXXXXX").string();
    home_ = mkdtemp(pattern.data());
  }
  ~CheckpointWrapper() override {
    std::error_code ignored;
    fs::remove_all(home_, ignored);
  }
  static LaunchFacts facts(const std::string& exec_file, const std::string& signal = "USR1") {
    LaunchFacts all{"grid", grid::CampaignId{12}, exec_file, "alpha", "griduser1", "$HOME", "/core=1", "1:30:00"};
    all.checkpoint_signal = signal;
    return all;
  }
  /// Runs a job, and `meanwhile` beside it, in which $W is the wrapper's process; the status of the job.
  int run_job(const LaunchFacts& facts, int attempt, const std::string& meanwhile = ":") {
    const auto command = JobCommand::create(facts).value();
    const auto line = parameter_line({grid::TaskNumber{3}, attempt, grid::JobId{345 + attempt}, "7", {}}).value();
    const auto script = "cd " + home_ + "\nenv -i HOME=" + home_ + " PATH=\"$PATH\" OAR_JOB_ID=9" + std::to_string(attempt) +
                        " OAR_NODEFILE=/dev/null bash -c " + text::quote(command.script()) + " " + command.mark() + " " + line + " >" +
                        home_ + "/out 2>&1 </dev/null &\nW=$!\n" + meanwhile + "\nwait $W";
    const int status = std::system(("timeout 60 bash -c " + text::quote(script)).c_str());
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }
  [[nodiscard]] std::string content(const std::string& file) const {
    std::ifstream stream{home_ + "/" + file};
    return {std::istreambuf_iterator<char>{stream}, {}};
  }
  [[nodiscard]] std::string checkpoint() const { return home_ + "/.gleaner/grid/12/checkpoints/3"; }
  /// Has the test's program write down how often it was signalled, when it is ready, and end as `end` says.
  void a_program(const std::string& end) {
    std::ofstream{home_ + "/task"} << "#!/bin/bash\nn=0\ntrap 'n=$((n+1)); echo $n >$CIGRI_CHECKPOINT/state' USR1 USR2 HUP TERM\n"
                                   << "cat $CIGRI_CHECKPOINT/state 2>/dev/null\ntouch ready\nfor ((i = 0; i < 600; ++i)); do " << end
                                   << "; sleep 0.05; done\nexit 9\n";
    fs::permissions(home_ + "/task", fs::perms::owner_all);
  }
  static constexpr const char* kSignalOnce = "until [ -e ready ]; do sleep 0.05; done; kill -USR1 $W";
  std::string home_;
};

/// The one file of a job's end.
std::string end_in(const std::string& folder) {
  for (const auto& file : fs::directory_iterator{folder}) {
    const auto name = file.path().filename().string();
    if (name.find(".e") != std::string::npos) return name;
  }
  return {};
}

TEST_F(CheckpointWrapper, Document000_WhatATaskGives_IsInTheNameOfItsEnd_IfItSucceeded) {
  const auto gives = [](const std::string& command, bool measured = false) {
    auto all = facts(command, "");
    all.gives = true;
    all.measured = measured;
    return all;
  };
  const auto end = [&](const std::string& command, int status = 0, bool measured = false) {
    fs::remove_all(home_ + "/.gleaner");
    EXPECT_EQ(run_job(gives(command, measured), 0), status) << content("out");
    return end_in(home_ + "/.gleaner/grid/12/7");
  };
  EXPECT_EQ(end("echo size=100 > $CIGRI_GIVES; echo hours=2.5 >> $CIGRI_GIVES; true"), "3.0.345.90.e0.gsize=100,hours=2.5");
  EXPECT_EQ(end("true"), "3.0.345.90.e0") << "nothing was given";
  EXPECT_EQ(end("printf '\\n\\n  \\n' > $CIGRI_GIVES; true"), "3.0.345.90.e0");
  EXPECT_EQ(end("echo size=1 > $CIGRI_GIVES; exit 3", 3), "3.0.345.90.e3");
  EXPECT_EQ(end("echo '{\"size\": *}' > $CIGRI_GIVES; true"), "3.0.345.90.e0.g%7B%22size%22%3A,%2A%7D");
  EXPECT_EQ(end("rm -r ${CIGRI_GIVES%/*}; true"), "3.0.345.90.e0");
  EXPECT_EQ(end("head -c 100000 /dev/zero | tr '\\0' 1 > $CIGRI_GIVES; true"), "3.0.345.90.e0.g%long");
  EXPECT_EQ(end("printf %0151d 1 > $CIGRI_GIVES; true"), "3.0.345.90.e0.g%long");
  EXPECT_EQ(end("{ printf '%0390d' | tr 0 ' '; echo size=12345678; } > $CIGRI_GIVES; true"), "3.0.345.90.e0.g%long")
      << "not the half of a number";
  EXPECT_THAT(end("echo size=7 > $CIGRI_GIVES; true", 0, true), testing::MatchesRegex("3.0.345.90.e0.[0-9].*[.]gsize=7"));
}

TEST_F(CheckpointWrapper, ForwardsTheSignal_AndItsStatusIsTheCommands) {
  a_program("[ $n = 1 ] && exit 66");
  EXPECT_EQ(run_job(facts("./task"), 0, kSignalOnce), 66);
  EXPECT_TRUE(fs::exists(home_ + "/.gleaner/grid/12/7/3.0.345.90.e66"));
}

TEST_F(CheckpointWrapper, TheNextAttempt_FindsTheFolder_AndASuccessRemovesIt) {
  a_program("[ $n = 1 ] && exit 66");
  ASSERT_EQ(run_job(facts("./task"), 0, kSignalOnce), 66);
  ASSERT_TRUE(fs::exists(checkpoint() + "/state"));
  a_program("exit 0");
  EXPECT_EQ(run_job(facts("./task"), 1), 0);
  EXPECT_THAT(content("out"), StartsWith("1\n"));
  EXPECT_FALSE(fs::exists(checkpoint()));
}

TEST_F(CheckpointWrapper, AFailure_LeavesTheFolder) {
  a_program("exit 3");
  EXPECT_EQ(run_job(facts("./task"), 0), 3);
  EXPECT_TRUE(fs::exists(checkpoint()));
}

TEST_F(CheckpointWrapper, ForwardsEachSignalOfACampaign_AsOftenAsItComes) {
  for (const std::string signal : {"USR1", "USR2", "HUP", "TERM"}) {
    fs::remove(home_ + "/ready");
    fs::remove_all(home_ + "/.gleaner");
    a_program("[ $n = 3 ] && exit 66");
    const auto state = checkpoint() + "/state";
    const auto thrice = "until [ -e ready ]; do sleep 0.05; done; for i in 1 2 3; do kill -" + signal + " $W; until [ \"$(cat " + state +
                        " 2>/dev/null)\" = $i ]; do sleep 0.05; done; done";
    EXPECT_EQ(run_job(facts("./task", signal), 0, thrice), 66) << signal;
  }
}

TEST_F(CheckpointWrapper, ACommandThatEndsAsTheSignalComes_KeepsItsStatus) {
  std::ofstream{home_ + "/task"} << "#!/bin/bash\ntrap : USR1\ntouch ready\nexit 5\n";
  fs::permissions(home_ + "/task", fs::perms::owner_all);
  for (int attempt = 0; attempt < 20; ++attempt) {
    fs::remove(home_ + "/ready");
    EXPECT_EQ(run_job(facts("./task"), attempt, "until [ -e ready ]; do :; done; kill -USR1 $W 2>/dev/null"), 5);
  }
}

TEST_F(CheckpointWrapper, OtherSignals_AreNotForwarded_AndDoNotEndIt) {
  a_program("[ -e go ] && exit 4");
  EXPECT_EQ(run_job(facts("./task"), 0, "until [ -e ready ]; do sleep 0.05; done; kill -USR2 $W; kill -HUP $W; touch go"), 4);
  EXPECT_FALSE(fs::exists(checkpoint() + "/state"));
}

TEST_F(CheckpointWrapper, StandardInputAndArguments_AreAsWithoutCheckpoints) {
  EXPECT_EQ(run_job(facts("read -r x || echo end of input; test -z \"$x\""), 0), 0);
  EXPECT_THAT(content("out"), HasSubstr("end of input"));
}

TEST_F(CheckpointWrapper, WhereTheFolderCannotBeMade_NothingIsRun) {
  fs::create_directories(home_ + "/.gleaner/grid/12");
  std::ofstream{home_ + "/.gleaner/grid/12/checkpoints"} << "in the way";
  EXPECT_EQ(run_job(facts("echo ran"), 0), 113);
  EXPECT_THAT(content("out"), HasSubstr("checkpoint folder cannot be made"));
  EXPECT_TRUE(fs::exists(home_ + "/.gleaner/grid/12/7/3.0.345.90.u"));
}

TEST(CheckpointCommand, AnUnknownSignal_IsRefused) {
  LaunchFacts all{"grid", grid::CampaignId{12}, "x", "alpha", "griduser1", "$HOME", "/core=1", "1:30:00"};
  all.checkpoint_signal = "USR1; rm -rf ~";
  EXPECT_FALSE(JobCommand::create(all));
}

}  // namespace
}  // namespace gleaner::runner
