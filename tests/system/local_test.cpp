#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "tests/system/grid_under_test.hpp"

/// gridsub --local, held against the grid: the same campaign files, the same tasks.
namespace gleaner::tests {
namespace {

namespace fs = std::filesystem;

struct Case {
  std::string name;
  std::string keys;  ///< of the campaign file, but name, clusters and output_directory
  int status;        ///< that both are to have
};

struct Outcome {
  std::int64_t status;
  std::string output;  ///< stdout
  bool operator==(const Outcome&) const = default;
};
void PrintTo(const Outcome& outcome, std::ostream* stream) { *stream << outcome.status << ", '" << outcome.output << "'"; }

const std::vector<Case>& cases() {
  static const std::vector<Case> all{
      {"executable", R"j("params": ["a b", "c"], "input_files": ["run.sh"], "exec_file": "$CIGRI_INPUTS/run.sh")j", 0},
      {"not_executable", R"j("nb_jobs": 1, "input_files": ["plain.sh"], "exec_file": "$CIGRI_INPUTS/plain.sh")j", 126},
      {"same_content",
       R"j("nb_jobs": 1, "input_files": ["plain.sh", "run.sh"], "exec_file": "$CIGRI_INPUTS/run.sh; $CIGRI_INPUTS/plain.sh")j", 126},
      {"absent", R"j("nb_jobs": 1, "input_files": ["run.sh"], "exec_file": "$CIGRI_INPUTS/absent.sh")j", 127},
      {"modes",
       R"j("nb_jobs": 1, "input_files": ["run.sh", "plain.sh", "private", "sub folder/group"], "exec_file": "sh -c 'cd $CIGRI_INPUTS; find . -type f | sort | xargs -d \"\\n\" stat -c \"%a %n\"' sh")j",
       0},
      {"not_named", R"j("nb_jobs": 1, "input_files": ["run.sh"], "exec_file": "cat $CIGRI_INPUTS/private")j", 1},
      {"of_words",
       R"j("params": ["'sub folder' group"], "input_files": ["{1}/{2}"], "exec_file": "sh -c 'cat \"$CIGRI_INPUTS/$1/$2\"' sh")j", 0},
      {"shell_words",
       R"j("params": ["private; echo $((6 * 7))"], "params_shell": true, "input_files": ["private"], "exec_file": "cat $CIGRI_INPUTS/private; echo")j",
       0},
      {"status", R"j("nb_jobs": 1, "exec_file": "sh -c 'exit 3'")j", 3},
      {"signal", R"j("nb_jobs": 1, "exec_file": "sh -c 'kill -9 $$'")j", 137},
      {"unknown_command", R"j("nb_jobs": 1, "exec_file": "no-such-command")j", 127},
      {"environment",
       R"j("nb_jobs": 1, "exec_file": "sh -c 'echo $1 $CIGRI_JOB_NAME $CIGRI_CLUSTER $CIGRI_RESOURCES $CIGRI_WALLTIME_SECONDS $CIGRI_ATTEMPT; cat' sh")j",
       0},
  };
  return all;
}

class LocalAndGrid : public ::testing::Test {
 protected:
  LocalAndGrid() {
    grid_.start_api();
    fs::create_directories(place() / "sub folder");
    fs::create_directories(grid_.folder() / "here");
    const std::string script = "#!/bin/sh\necho ran \"$0\" | sed 's,/.*/,,'\nprintf '[%s]' \"$@\"\n";
    write("run.sh", script, 0755);
    write("plain.sh", script, 0644);
    write("private", "secret\n", 0600);
    write("sub folder/group", "of the group\n", 0750);
    for (const auto& one : cases())
      write(one.name + ".jdl",
            fmt::format(R"({{"name": "{0}", {1}, "output_directory": "left/{0}", "clusters": {{"alpha": {{}}}}}})", one.name, one.keys),
            0644);
  }
  [[nodiscard]] fs::path place() const { return grid_.folder() / "campaign"; }
  void write(const std::string& path, const std::string& content, int mode) const {
    std::ofstream{place() / path} << content;
    fs::permissions(place() / path, static_cast<fs::perms>(mode));
  }
  /// Task 0 with --local, in the folder of the campaign file, named without a folder.
  [[nodiscard]] Outcome local(const std::string& name) const {
    const char* programs = std::getenv("GLEANER_BIN_DIR");
    const auto script = fmt::format("exec {}/gridsub --local 0 -f {}.jdl 2>errors", programs != nullptr ? programs : "build/bin", name);
    process::Command command{
        .arguments = {"/bin/bash", "-c", script},
        .environment = {{"HOME", (grid_.folder() / "here").string()}, {"GLEANER_API", "unix:/nonexistent/api.socket"}}};
    command.directory = place();
    const auto ran = process::capture(std::move(command), kHangGuard);
    if (!ran) throw std::runtime_error{ran.error()};
    return {ran->end.exit_status, ran->output};
  }
  [[nodiscard]] grid::CampaignId submitted(const std::string& name) {
    const auto ran = grid_.run("gridsub", {"-f", (place() / (name + ".jdl")).string()});
    EXPECT_TRUE(ran.end.succeeded()) << ran.output;
    return grid::CampaignId{grid_.number("SELECT max(id) FROM campaigns")};
  }
  /// The same task on alpha, when it is over.
  [[nodiscard]] Outcome on_grid(const std::string& name, grid::CampaignId campaign) {
    const auto of_task = fmt::format("FROM jobs WHERE campaign_id = {} AND task = 0 AND exit_status IS NOT NULL", campaign.value());
    EXPECT_TRUE(grid_.becomes(fmt::format("SELECT count(*) > 0 {}", of_task), "t"));
    std::ifstream stream{grid_.cluster("alpha").home("alice") / "left" / name / std::to_string(campaign.value()) / "0.out",
                         std::ios::binary};
    return {grid_.number(fmt::format("SELECT exit_status >> 8 {} ORDER BY id LIMIT 1", of_task)),
            {std::istreambuf_iterator<char>{stream}, {}}};
  }
  GridUnderTest grid_;
};

TEST_F(LocalAndGrid, GiveATaskTheSameFilesAndModes_AndHaveTheSameStatusAndOutput) {
  std::vector<grid::CampaignId> campaigns;
  for (const auto& one : cases()) campaigns.push_back(submitted(one.name));
  grid_.almighty().start();
  for (std::size_t i = 0; i < cases().size(); ++i) {
    const auto& one = cases()[i];
    const auto here = local(one.name);
    EXPECT_EQ(here.status, one.status) << one.name;
    EXPECT_EQ(here, on_grid(one.name, campaigns[i])) << one.name;
  }
  EXPECT_EQ(local("executable").output, "ran run.sh\n[a][b]");
  EXPECT_EQ(local("modes").output, "444 ./plain.sh\n400 ./private\n555 ./run.sh\n550 ./sub folder/group\n");
}

}  // namespace
}  // namespace gleaner::tests
