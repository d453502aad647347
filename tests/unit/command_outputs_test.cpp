#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <vector>

#include "lib/grid/exit_status.hpp"
#include "lib/grid/task_outputs.hpp"
#include "lib/text/words.hpp"
#include "runner/command/command.hpp"
#include "runner/command/output_words.hpp"
#include "runner/wrapper/wrapper.hpp"

/// The jobs' wrapper handles the outputs of tasks, run here by the same shell.
namespace gleaner::runner {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;
namespace fs = std::filesystem;

class WrapperOutputs : public ::testing::Test {
 protected:
  WrapperOutputs() {
    auto pattern = (fs::temp_directory_path() / "gleaner-outputs-XXXXXX").string();
    home_ = mkdtemp(pattern.data());
  }
  ~WrapperOutputs() override {
    std::error_code ignored;
    fs::remove_all(home_, ignored);
  }

  struct Job {
    std::string exec_file;
    std::string patterns{};
    std::vector<std::string> arguments{};
    int task = 7;
    int attempt = 0;
    std::string folder = "$HOME/results/12";
  };
  /// Its exit status; what it says beside the task's files is in said_.
  int run(const Job& job) {
    const LaunchFacts facts{.grid = "grid",
                            .campaign = grid::CampaignId{12},
                            .exec_file = job.exec_file,
                            .cluster = "alpha",
                            .user = "ada",
                            .workdir = home_,
                            .resources = "/core=1",
                            .walltime = "1:0:0",
                            .output_directory = job.folder,
                            .output_files = job.patterns};
    auto text = JobCommand::create(facts).value().text();
    for (auto at = text.find("\\$"); at != std::string::npos; at = text.find("\\$", at)) text.erase(at, 1);
    const TaskFacts task{grid::TaskNumber{job.task}, job.attempt, grid::JobId{345 + ++jobs_}, "7", job.arguments};
    text += " " + parameter_line(task).value();
    const auto command =
        fmt::format("cd {0} && env -i HOME={0} USER=ada LOGNAME=ada PATH=\"$PATH\" OAR_JOB_ID={2} bash -c {1} > {0}/said 2>&1", home_,
                    text::quote(text), 99 + jobs_);
    const int status = std::system(command.c_str());
    said_ = content("said");
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }
  [[nodiscard]] std::string content(const std::string& file) const {
    std::ifstream stream{home_ + "/" + file, std::ios::binary};
    return {std::istreambuf_iterator<char>{stream}, {}};
  }
  [[nodiscard]] std::vector<std::string> files(const std::string& folder) const {
    std::vector<std::string> names;
    std::error_code none;
    for (const auto& entry : fs::directory_iterator{home_ + "/" + folder, none}) names.push_back(entry.path().filename().string());
    std::ranges::sort(names);
    return names;
  }
  std::string home_;
  std::string said_;
  int jobs_ = 0;
};

TEST_F(WrapperOutputs, StdoutAndStderr_AreInTheFolder_NamedByTask_AndNowhereElse) {
  EXPECT_EQ(run({.exec_file = "echo out $1; echo err >&2; exit 3; :", .arguments = {"a"}}), 3);
  EXPECT_EQ(said_, "");
  EXPECT_THAT(files("results/12"), ElementsAre("7.err", "7.out"));
  EXPECT_EQ(content("results/12/7.out"), "out a\n");
  EXPECT_EQ(content("results/12/7.err"), "err\n");
}

TEST_F(WrapperOutputs, AFurtherAttempt_HasFilesOfItsOwn) {
  run({.exec_file = "echo first"});
  run({.exec_file = "echo second", .attempt = 1});
  run({.exec_file = "echo third", .attempt = 12});
  EXPECT_EQ(content("results/12/7.out"), "first\n");
  EXPECT_EQ(content("results/12/7.1.out"), "second\n");
  EXPECT_EQ(content("results/12/7.12.out"), "third\n");
}

TEST_F(WrapperOutputs, ASecondRunOfAnAttempt_WritesNothingIntoItsFiles) {
  run({.exec_file = "echo first"});
  EXPECT_EQ(run({.exec_file = "echo twice"}), grid::kRanNothing);
  EXPECT_EQ(content("results/12/7.out"), "first\n");
  EXPECT_THAT(said_, HasSubstr("claimed by job"));
}

TEST_F(WrapperOutputs, FromTaskOneThousandOn_EachThousandHasAFolder) {
  run({.exec_file = "echo a", .task = 999});
  run({.exec_file = "echo b", .task = 1000});
  run({.exec_file = "echo c", .task = 12'345});
  EXPECT_EQ(content("results/12/999.out"), "a\n");
  EXPECT_EQ(content("results/12/1000/1000.out"), "b\n");
  EXPECT_EQ(content("results/12/12000/12345.out"), "c\n");
}

TEST_F(WrapperOutputs, AFolderThatCannotBeMade_RunsNothing_AndReportsTheCause) {
  std::ofstream{home_ + "/results"} << "a file\n";
  EXPECT_EQ(run({.exec_file = "touch $HOME/ran; :"}), grid::kRanNothing);
  EXPECT_THAT(said_, HasSubstr("gleaner: task 7, attempt 0: its output directory cannot be used, nothing was run: mkdir:"));
  EXPECT_FALSE(fs::exists(home_ + "/ran"));
  EXPECT_THAT(files(".gleaner/grid/12/7"), ElementsAre("7.0.346.100.u", "7.0.claim"));
}

TEST_F(WrapperOutputs, FilesThatMatch_AreGathered_UnderNamesThatOarReads) {
  EXPECT_EQ(
      run({.exec_file = "mkdir -p r-w1/sub; echo 1 > 'r-w1/a b.dat'; echo 2 > r-w1/sub/c.dat; echo 3 > res-7.txt; echo 4 > other.txt; "
                        "echo 5 > $(printf 'res-7\\351.txt'); :",
           .patterns = "r-{1}/**/*.dat\nres-{TASK}*\nabsent-{TASK}",
           .arguments = {"w1"}}),
      0);
  EXPECT_THAT(files("results/12"), UnorderedElementsAre("7.err", "7.out", "7.file.r-w1%2Fa%20b.dat", "7.file.r-w1%2Fsub%2Fc.dat",
                                                        "7.file.res-7.txt", "7.file.res-7%E9.txt"));
  EXPECT_EQ(content("results/12/7.file.r-w1%2Fa%20b.dat"), "1\n");
  EXPECT_EQ(content("results/12/7.file.res-7%E9.txt"), "5\n");
  EXPECT_EQ(content("res-7.txt"), "3\n");
  EXPECT_EQ(content("results/12/7.err"), "");
}

TEST_F(WrapperOutputs, AParameter_IsLiteral_WhateverItHolds) {
  EXPECT_EQ(run({.exec_file = ": > \"$HOME/x-*\"; : > \"$HOME/x-a\"; : > \"$HOME/x-\\$(touch oops)\"; :",
                 .patterns = "x-{1}\nx-{2}",
                 .arguments = {"*", "$(touch oops)"}}),
            0);
  EXPECT_THAT(files("results/12"), UnorderedElementsAre("7.err", "7.out", "7.file.x-%2A", "7.file.x-%24%28touch%20oops%29"));
  EXPECT_FALSE(fs::exists(home_ + "/oops"));
}

TEST_F(WrapperOutputs, AnAbsolutePattern_AndOneOfTheHome_AndASymbolicLink_AreGatheredToo) {
  fs::create_directories(home_ + "/elsewhere");
  EXPECT_EQ(run({.exec_file = "echo 1 > elsewhere/7.dat; ln -s 7.dat elsewhere/7.link; mkdir elsewhere/7.folder; :",
                 .patterns = home_ + "/elsewhere/{TASK}.*"}),
            0);
  EXPECT_THAT(files("results/12"), UnorderedElementsAre("7.err", "7.out", "7.file.elsewhere%2F7.dat", "7.file.elsewhere%2F7.link"));
  EXPECT_EQ(content("results/12/7.file.elsewhere%2F7.link"), "1\n");
  EXPECT_FALSE(fs::is_symlink(home_ + "/results/12/7.file.elsewhere%2F7.link"));
  EXPECT_EQ(run({.exec_file = "echo 2 > $HOME/h-8; :", .patterns = "~/h-{TASK}", .task = 8}), 0);
  EXPECT_EQ(content("results/12/8.file.h-8"), "2\n");
}

TEST_F(WrapperOutputs, FilesOfAFailedTask_AreGathered_AndItsStatusStays) {
  EXPECT_EQ(run({.exec_file = "echo 1 > r-7; exit 5; :", .patterns = "r-{TASK}"}), 5);
  EXPECT_EQ(content("results/12/7.file.r-7"), "1\n");
}

TEST_F(WrapperOutputs, AFileThatCannotBeGathered_FailsItsTask_WithTheReason) {
  EXPECT_EQ(run({.exec_file = "mkdir -p results/12/7.file.7-x; echo 1 > 7-x; :", .patterns = "{TASK}-x"}), grid::kNotGathered);
  EXPECT_THAT(content("results/12/7.err"), HasSubstr("gleaner: task 7, attempt 0: its output file 7-x cannot be gathered: "));
  EXPECT_THAT(files("results/12/7.file.7-x"), IsEmpty());
  EXPECT_EQ(run({.exec_file = "for i in $(seq 1001); do : > 8-$i; done; :", .patterns = "{TASK}-*", .task = 8}), grid::kNotGathered);
  EXPECT_THAT(content("results/12/8.err"), HasSubstr("more than 1000 files match output_files"));
}

/// The contents of the folder by its names: the path of each gathered file, and what it holds.
using Gathered = std::map<std::string, std::string>;

TEST_F(WrapperOutputs, FilesOfAnyDepth_AndOfLongNames_AreGathered_AndTheirPathsAreReadBack) {
  std::string deep;
  for (int i = 0; i < 9; ++i) deep += fmt::format("folder {} of 30 bytes ---------/", i);
  std::string accents;
  for (int i = 0; i < 100; ++i) accents += "\xC3\xA9";
  const std::string letters(249, 'x');
  const Gathered left{
      {"7-w/" + deep + "a.dat", "deep\n"}, {"7-w/" + accents, "accents\n"}, {"7-w/" + letters, "letters\n"}, {"7-w/short", "short\n"}};
  std::string script = "set -e; ";
  for (const auto& [path, text] : left)
    script += fmt::format("mkdir -p '{0}'; echo {1} > '{2}'; ", path.substr(0, path.rfind('/')), text.substr(0, text.size() - 1), path);
  const auto gathered = [this](int attempt) {
    Gathered found;
    grid::LongPaths paths;
    for (const auto& name : files("results/12")) {
      EXPECT_LE(name.size(), 255U);
      static_cast<void>(paths.add(name));
    }
    for (const auto& name : files("results/12")) {
      auto output = grid::read_output_name(name);
      if (!output || output->attempt != attempt || output->kind != grid::OutputKind::file) continue;
      if (output->number > 0) output->name = paths.of(*output).value_or("?");
      found[output->name] = content("results/12/" + name);
    }
    return found;
  };
  EXPECT_EQ(run({.exec_file = script + ":", .patterns = "{TASK}-w/**/*"}), 0);
  EXPECT_EQ(content("results/12/7.err"), "");
  EXPECT_EQ(gathered(0), left);
  EXPECT_EQ(content("results/12/7.file.7-w%2Fshort"), "short\n");
  // A retry overwrites nothing, and other bytes that lie under its names do not count.
  std::ofstream{home_ + "/results/12/7.1.path.1.0.9.old"}.close();
  EXPECT_EQ(run({.exec_file = script + ":", .patterns = "{TASK}-w/**/*", .attempt = 1}), 0);
  EXPECT_EQ(gathered(1), left);
  EXPECT_EQ(gathered(0), left);
}

TEST_F(WrapperOutputs, APathThatCannotBeNoted_FailsItsTask_AndLeavesNoFileWithoutAPath) {
  const std::string letters(250, 'x');
  EXPECT_EQ(run({.exec_file = fmt::format("echo 1 > 7-{0}; mkdir -p results/12/7.path.1.1.2.{1}; :", letters, letters.substr(0, 52)),
                 .patterns = "{TASK}-*"}),
            grid::kNotGathered);
  EXPECT_THAT(content("results/12/7.err"), HasSubstr("cannot be gathered: "));
  EXPECT_FALSE(fs::exists(home_ + "/results/12/7.long.1"));
}

TEST_F(WrapperOutputs, TheEndIsNoted_WhenTheFilesAreGathered) {
  EXPECT_EQ(run({.exec_file = "echo 1 > r-7; :", .patterns = "r-{TASK}"}), 0);
  EXPECT_THAT(files(".gleaner/grid/12/7"), ElementsAre("7.0.346.100.e0", "7.0.claim"));
}

TEST(PatternWord, KeepsWildcards_AndQuotesTheRest) {
  EXPECT_EQ(pattern_word("res-{TASK}*.[a-c]?"), "res-\"$1\"*.[a-c]?");
  EXPECT_EQ(pattern_word("~/a b;c"), "\"$HOME\"/a' 'b';'c");
  EXPECT_EQ(pattern_word("{2}/${USER}{CAMPAIGN_ID}"),
            fmt::format("\"${{{}[1]}}\"/\"$USER\"\"${}\"", kShortNames.task_arguments, kShortNames.campaign_number));
}

}  // namespace
}  // namespace gleaner::runner
