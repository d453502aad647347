// gridsub --local: one task here, as its job on a cluster would run it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <unistd.h>

#include <fmt/format.h>

#include "lib/process/child.hpp"

namespace gleaner {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

class GridsubLocal : public testing::Test {
 protected:
  GridsubLocal() { std::filesystem::create_directories(folder_); }
  ~GridsubLocal() override { std::filesystem::remove_all(folder_); }

  void write(const std::string& name, const std::string& text) const { std::ofstream{folder_ / name} << text; }

  /// A script of bash in the folder, which is the home, with $BIN; there is no API.
  [[nodiscard]] process::Captured run(const std::string& script) const {
    const char* programs = std::getenv("GLEANER_BIN_DIR");
    std::filesystem::create_directories(folder_ / "tmp");
    process::Command command{.arguments = {"/bin/bash", "-c", script},
                             .environment = {{"BIN", programs != nullptr ? programs : "build/bin"},
                                             {"HOME", folder_.string()},
                                             {"TMPDIR", (folder_ / "tmp").string()},
                                             {"ONLY_HERE", "yes"},
                                             {"GLEANER_API", "unix:/nonexistent/api.socket"}}};
    command.directory = folder_;
    auto captured = process::capture(std::move(command), std::chrono::minutes{10});
    if (!captured) throw std::runtime_error{captured.error()};
    return *captured;
  }
  /// The task's output on stdout, and the exit status.
  [[nodiscard]] std::string stdout_of(const std::string& arguments) const {
    return run("$BIN/gridsub " + arguments + " 2>errors; echo status $?").output;
  }
  [[nodiscard]] std::string stderr_of(const std::string& arguments) const {
    return run("$BIN/gridsub " + arguments + " 2>&1 >/dev/null; echo status $?").output;
  }

  std::filesystem::path folder_ = std::filesystem::temp_directory_path() / fmt::format("gleaner-local-{}", ::getpid());
};

/// A loop of bash that ends when the process whose id is in the file `pid` is over.
constexpr auto kUntilGone = "while grep -qs 'State:.[^Z]' /proc/$(cat pid)/status; do :; done";

constexpr auto kWords = R"({"name": "words", "params": ["a 'b c'", "d e", ["f", "g\th"]], "exec_file": "printf '[%s]'",
  "clusters": {"alpha": {}, "beta": {"exec_file": "echo beta {2} of {1}"}}})";

TEST_F(GridsubLocal, TaskGetsItsOwnWords_AsOnTheFirstClusterOrTheNamedOne) {
  write("words.jdl", kWords);
  EXPECT_EQ(stdout_of("--local 0 -f words.jdl"), "[a][b c]status 0\n");
  EXPECT_EQ(stdout_of("--local 2 -f words.jdl"), "[f][g\th]status 0\n");
  EXPECT_EQ(stdout_of("--local 0 -f words.jdl --cluster beta"), "beta b c of a\nstatus 0\n");
  EXPECT_THAT(stderr_of("--local 1 -f words.jdl"), AllOf(HasSubstr("gridsub: task 1 of words.jdl as on alpha, in " + folder_.string() +
                                                                   ", for 1 h at most: printf '[%s]' d e\n"),
                                                         HasSubstr("gridsub: task 1: exit status 0, after ")));
}

TEST_F(GridsubLocal, EnvironmentIsThatOfAJob_AndNothingElse) {
  write("job.jdl", R"({"name": "job", "nb_jobs": 9, "walltime": "0:10:00", "resources": "/nodes=1/core=2", "exec_directory": "~/work",
    "exec_file": "env; wc -l < $OAR_NODEFILE; pwd; cat; true", "clusters": {"alpha": {}}})");
  std::filesystem::create_directories(folder_ / "work");
  const auto said = stdout_of("--local 7 -f job.jdl <job.jdl");
  for (const auto* line :
       {"CIGRI_CAMPAIGN_ID=0\n", "CIGRI_JOB_NAME=7\n", "CIGRI_CLUSTER=alpha\n", "CIGRI_ATTEMPT=0\n", "CIGRI_RESOURCES=/nodes=1/core=2\n",
        "CIGRI_WALLTIME=0:10:00\n", "CIGRI_WALLTIME_SECONDS=600\n", "OAR_JOB_WALLTIME_SECONDS=600\n", "OAR_JOB_ID=0\n"})
    EXPECT_THAT(said, HasSubstr(line));
  const auto work = (folder_ / "work").string();
  EXPECT_THAT(said, AllOf(HasSubstr("CIGRI_WORKDIR=" + work + "\n"), HasSubstr("\n2\n" + work + "\nstatus 0\n"),
                          Not(HasSubstr("ONLY_HERE")), Not(HasSubstr("GLEANER"))));
}

TEST_F(GridsubLocal, ExitStatusIsThatOfTheTask_OrOfItsSignal) {
  write("exits.jdl", R"({"name": "x", "params": ["exit 0", "exit 3", "kill -9 $$"], "params_shell": true,
    "exec_file": "echo out; echo err >&2;", "clusters": {"a": {}}})");
  EXPECT_EQ(stdout_of("--local 1 -f exits.jdl"), "out\nstatus 3\n");
  EXPECT_EQ(stdout_of("--local 2 -f exits.jdl"), "out\nstatus 137\n");
  EXPECT_THAT(stderr_of("--local 1 -f exits.jdl"), AllOf(HasSubstr("\nerr\n"), HasSubstr("exit status 3")));
}

TEST_F(GridsubLocal, Walltime_EndsTheTaskAndItsChildren) {
  write("long.jdl", R"({"name": "x", "nb_jobs": 1, "walltime": 1, "exec_file": "sleep 600 & echo $!; wait; true", "clusters": {"a": {}}})");
  const auto said = run(fmt::format("$BIN/gridsub --local 0 -f long.jdl >pid; echo status $?; {}", kUntilGone)).output;
  EXPECT_THAT(said, AllOf(HasSubstr("status 124"), HasSubstr("ended at its walltime, 0:00:01")));
}

TEST_F(GridsubLocal, SignalForGridsub_EndsTheTaskWithIt) {
  write("long.jdl", R"({"name": "x", "nb_jobs": 1, "exec_file": "echo $$ > pid; exec sleep 600; true", "clusters": {"a": {}}})");
  const auto said = run(fmt::format(
      "$BIN/gridsub --local 0 -f long.jdl & until [ -s pid ]; do :; done; kill -TERM $!; wait $!; echo status $?; {}", kUntilGone));
  EXPECT_THAT(said.output, HasSubstr("status 143"));
}

TEST_F(GridsubLocal, RequestOfExpressions_IsThatOfTheTask) {
  write("mesh.jdl", R"({"name": "mesh", "parameter_names": ["mesh", "cores"], "params": ["wing 1", "hull 3"], "resources": "/core=cores",
    "walltime": "cores * minute", "exec_file": "echo {mesh} $CIGRI_RESOURCES $CIGRI_WALLTIME_SECONDS", "clusters": {"a": {}}})");
  EXPECT_EQ(stdout_of("--local 1 -f mesh.jdl"), "hull /core=3 180\nstatus 0\n");
}

TEST_F(GridsubLocal, ParametersOfAFileAndOfAnOption_AreTaken) {
  write("plain.jdl", R"({"name": "x", "exec_file": "echo", "clusters": {"a": {}}})");
  write("p.txt", "# not one\none\n\ntwo words\n");
  EXPECT_EQ(stdout_of("--local 1 -f plain.jdl -p p.txt"), "two words\nstatus 0\n");
  EXPECT_EQ(stdout_of("--local 11 -f plain.jdl -n 12"), "11\nstatus 0\n");
  EXPECT_EQ(stdout_of(R"(--local 0 -j '{"name": "x", "nb_jobs": 1, "exec_file": "echo", "clusters": {"a": {}}}')"), "0\nstatus 0\n");
}

TEST_F(GridsubLocal, WhatAClusterWouldDoBesides_IsSaid) {
  write("besides.jdl", R"({"name": "x", "params": ["$HOME"], "exec_file": "echo", "prologue": ["touch prepared"], "output_directory": "out",
    "clusters": {"alpha": {}}})");
  EXPECT_THAT(stderr_of("--local 0 -f besides.jdl"),
              AllOf(HasSubstr("note: the prologue of alpha is not run here"), HasSubstr("note: output_directory has no effect here"),
                    HasSubstr("a shell, as in CiGri, would replace $HOME")));
  EXPECT_EQ(stdout_of("--local 0 -f besides.jdl"), "$HOME\nstatus 0\n");
  EXPECT_FALSE(std::filesystem::exists(folder_ / "prepared"));
}

TEST_F(GridsubLocal, InputFiles_AreCopies_ReadOnlyAndAsExecutableAsTheirOriginals) {
  write("run.sh", "#!/bin/sh\necho ran $1 >&1; ls $CIGRI_INPUTS; stat -c %a $0\n");
  write("beside", "not an input file");
  std::filesystem::permissions(folder_ / "run.sh", static_cast<std::filesystem::perms>(0744));
  write("inputs.jdl",
        R"({"name": "x", "nb_jobs": 2, "input_files": "run.sh", "exec_file": "$CIGRI_INPUTS/run.sh", "clusters": {"a": {}}})");
  EXPECT_EQ(stdout_of("--local 1 -f inputs.jdl"), "ran 1\nrun.sh\n544\nstatus 0\n");
  EXPECT_TRUE(std::filesystem::is_empty(folder_ / "tmp"));
}

TEST_F(GridsubLocal, NothingIsLeft) {
  write("words.jdl", kWords);
  EXPECT_EQ(stdout_of("--local 1 -f words.jdl"), "[d][e]status 0\n");
  EXPECT_TRUE(std::filesystem::is_empty(folder_ / "tmp"));
  EXPECT_FALSE(std::filesystem::exists(folder_ / ".gleaner"));
}

TEST_F(GridsubLocal, WhatCannotBeRun_IsSaidWithWhatWould) {
  write("words.jdl", kWords);
  write("far.jdl", R"({"name": "x", "nb_jobs": 1, "exec_file": "echo", "exec_directory": "/nonexistent/far", "clusters": {"a": {}}})");
  write("places.jdl", R"({"name": "x", "params": ["one"], "exec_file": "echo {2}", "clusters": {"a": {}}})");
  EXPECT_THAT(stderr_of("--local 3 -f words.jdl"),
              HasSubstr("gridsub: nothing was run: --local=3: words.jdl has 3 tasks; write a number from 0 to 2\nstatus 2\n"));
  EXPECT_THAT(stderr_of("--local -1 -f words.jdl"), HasSubstr("status 2"));
  EXPECT_THAT(stderr_of("--local 0 -f words.jdl --cluster bet"),
              HasSubstr("--cluster=bet: words.jdl has no such cluster; its clusters are alpha, beta (did you mean 'beta'?)\nstatus 2\n"));
  EXPECT_THAT(stderr_of("--local 0 -f far.jdl"),
              AllOf(HasSubstr("there is no folder /nonexistent/far on this machine"), HasSubstr("status 2")));
  EXPECT_THAT(stderr_of("--local 0 -f places.jdl"), AllOf(HasSubstr("exec_file has the placeholder {2}"), HasSubstr("status 2")));
  EXPECT_THAT(stderr_of("--local 0 -f words.jdl --wait"), HasSubstr("--local and --wait exclude each other"));
  EXPECT_THAT(stderr_of("--cluster alpha -f words.jdl"), HasSubstr("--cluster goes with --local"));
  EXPECT_THAT(stderr_of("--local 0 -f words.jdl -f far.jdl"), HasSubstr("one task of one campaign file"));
}

}  // namespace
}  // namespace gleaner
