#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <vector>

#include "lib/grid/exit_status.hpp"
#include "lib/grid/input_files.hpp"
#include "lib/inputs/sha256.hpp"
#include "lib/text/words.hpp"
#include "runner/command/command.hpp"

/// How the jobs' wrapper gets the input files of a task, run here by the same shell.
namespace gleaner::runner {
namespace {

using ::testing::HasSubstr;
namespace fs = std::filesystem;

class WrapperInputs : public ::testing::Test {
 protected:
  WrapperInputs() {
    auto pattern = (fs::temp_directory_path() / "gleaner-inputs-XXXXXX").string();
    home_ = mkdtemp(pattern.data());
  }
  ~WrapperInputs() override {
    std::error_code ignored;
    fs::remove_all(home_, ignored);
  }
  [[nodiscard]] fs::path inputs() const { return home_ / ".gleaner/grid/12/inputs"; }

  /// Brings the files, as the runner does.
  void bring(const std::map<std::string, std::string>& contents, int mode = grid::kPlainInput) {
    std::vector<grid::InputFile> files;
    std::string all;
    for (const auto& [path, content] : contents) {
      files.push_back({.path = path, .sha256 = inputs::sha256_of_text(content), .bytes = std::ssize(content), .mode = mode});
      all += content;
    }
    const auto bytes = grid::place_inputs(files);
    fs::create_directories(inputs());
    for (std::int64_t piece = 0; piece < grid::input_pieces(bytes); ++piece) {
      const auto begin = static_cast<std::size_t>(piece * grid::kInputPiece);
      write(std::to_string(piece), all.substr(begin, grid::kInputPiece) + (piece + 1 == grid::input_pieces(bytes) ? "\n" : ""));
    }
    write("index", grid::input_index(files));
  }
  void write(const std::string& name, const std::string& content) const { std::ofstream{inputs() / name, std::ios::binary} << content; }

  struct Job {
    std::string exec_file;
    std::string patterns;
    std::vector<std::string> arguments{};
    std::optional<PoolFacts> pool{};
  };
  /// Its exit status; what it printed is in said_.
  int run(const Job& job) {
    const LaunchFacts facts{.grid = "grid",
                            .campaign = grid::CampaignId{12},
                            .exec_file = job.exec_file,
                            .cluster = "alpha",
                            .user = "ada",
                            .workdir = home_.string(),
                            .resources = "/core=1",
                            .walltime = "1:0:0",
                            .pool = job.pool,
                            .input_files = job.patterns};
    auto text = JobCommand::create(facts).value().text();
    for (auto at = text.find("\\$"); at != std::string::npos; at = text.find("\\$", at)) text.erase(at, 1);
    const TaskFacts task{grid::TaskNumber{7}, 0, grid::JobId{345 + ++jobs_}, std::to_string(jobs_), job.arguments};
    text += " " + parameter_line(task).value();
    const auto command = fmt::format("cd {0} && env -i HOME={0} USER=ada PATH=\"$PATH\" OAR_JOB_ID={2} bash -c {1} > {0}/said 2>&1",
                                     home_.string(), text::quote(text), 99 + jobs_);
    const int status = std::system(command.c_str());
    said_ = content_of(home_ / "said");
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }
  [[nodiscard]] static std::string content_of(const fs::path& file) {
    std::ifstream stream{file, std::ios::binary};
    return {std::istreambuf_iterator<char>{stream}, {}};
  }
  fs::path home_;
  std::string said_;
  int jobs_ = 0;
};

TEST_F(WrapperInputs, OfATask_AreInTheFolderOfInputs_ByteForByte_WhateverTheirNamesAndSizes) {
  std::string big(static_cast<std::size_t>(2 * grid::kInputPiece + 1000), 'x');
  for (std::size_t i = 0; i < big.size(); ++i) big[i] = static_cast<char>(i * 7 / 3);
  const std::map<std::string, std::string> contents{
      {"a $HOME 'b' \"c\" `id`;*", "odd\n"}, {"big", big}, {"data/7/x.bin", std::string{"\0\n\xE9", 3}}, {"empty", ""}, {"zero", "0"}};
  bring(contents);
  EXPECT_EQ(run({.exec_file = "true", .patterns = "a $HOME 'b' \"c\" `id`;*\nbig\ndata/{1}/x.bin\nempty\nzero", .arguments = {"7"}}), 0)
      << said_;
  for (const auto& [path, content] : contents) EXPECT_TRUE(content_of(inputs() / "f" / path) == content) << path;
  EXPECT_EQ(run({.exec_file = "cat $CIGRI_INPUTS/zero", .patterns = "zero"}), 0);
  EXPECT_EQ(said_, "0");
}

TEST_F(WrapperInputs, AreExecutable_WhereTheyAreOnTheirUsersDisk) {
  bring({{"run", "#!/bin/sh\necho ran\n"}}, 0550);
  EXPECT_EQ(run({.exec_file = "stat -c %a $CIGRI_INPUTS/run; $CIGRI_INPUTS/run", .patterns = "run"}), 0);
  EXPECT_EQ(said_, "550\nran\n");
  fs::remove_all(inputs());
  bring({{"run", "#!/bin/sh\necho ran\n"}});
  EXPECT_EQ(run({.exec_file = "$CIGRI_INPUTS/run", .patterns = "run"}), 126);
}

TEST_F(WrapperInputs, OfOtherTasks_StayInThePieces) {
  bring({{"1", "one"}, {"2", "two"}});
  EXPECT_EQ(run({.exec_file = "true", .patterns = "{1}", .arguments = {"2"}}), 0);
  EXPECT_FALSE(fs::exists(inputs() / "f/1"));
  EXPECT_EQ(content_of(inputs() / "f/2"), "two");
}

TEST_F(WrapperInputs, ThatAreDamaged_EndTheJobBeforeItsCommand_AndLeaveNoFile) {
  bring({{"1", "one"}, {"2", "two"}});
  write("0", "onextwo");
  EXPECT_EQ(run({.exec_file = "echo ran", .patterns = "2"}), grid::kRanNothing);
  EXPECT_THAT(said_, HasSubstr("its input file 2 cannot be used, nothing was run: it is damaged or incomplete here"));
  EXPECT_EQ(said_.find("ran\n"), std::string::npos);
  EXPECT_FALSE(fs::exists(inputs() / "f/2"));
  // Brought again, it is used.
  bring({{"1", "one"}, {"2", "two"}});
  EXPECT_EQ(run({.exec_file = "cat $CIGRI_INPUTS/2", .patterns = "2"}), 0);
  EXPECT_EQ(said_, "two");
}

TEST_F(WrapperInputs, ThatAreMissing_EndTheJobBeforeItsCommand) {
  EXPECT_EQ(run({.exec_file = "echo ran", .patterns = "2"}), grid::kRanNothing);
  EXPECT_THAT(said_, HasSubstr("its input file 2 cannot be used, nothing was run: it is not among the files that were brought here"));
  bring({{"1", std::string(static_cast<std::size_t>(grid::kInputPiece), 'x')}, {"2", "two"}});
  fs::remove(inputs() / "1");
  EXPECT_EQ(run({.exec_file = "echo ran", .patterns = "2"}), grid::kRanNothing);
  EXPECT_THAT(said_, HasSubstr("No such file"));
}

TEST_F(WrapperInputs, ATextThatLooksLikeAMarkOfTheWrapper_IsAFileName) {
  bring({{"@AFTER@ @POOL@ @BEFORE@", "mark"}});
  EXPECT_EQ(run({.exec_file = "cat $CIGRI_INPUTS/@*", .patterns = "@AFTER@ @POOL@ @BEFORE@"}), 0) << said_;
  EXPECT_EQ(said_, "mark");
}

}  // namespace
}  // namespace gleaner::runner
