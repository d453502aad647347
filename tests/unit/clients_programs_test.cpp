// The real programs: their command lines, and what they find wrong without asking anybody.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
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

constexpr std::array kPrograms{"gridsub",      "gridstat",  "gridevents", "griddel", "gridwait",   "gridget",
                               "gridclusters", "gridclean", "gridusage",  "gridctl", "gridnotify", "gridtoken"};

process::Captured run(const std::string& program, std::vector<std::string> arguments) {
  const char* folder = std::getenv("GLEANER_BIN_DIR");
  arguments.insert(arguments.begin(), fmt::format("{}/{}", folder != nullptr ? folder : "build/bin", program));
  process::Command command{
      .arguments = std::move(arguments),
      .environment = {{"GLEANER_API", "unix:/nonexistent/api.socket"}, {"GLEANER_DATABASE", "host=/nonexistent dbname=none"}}};
  auto captured = process::capture(std::move(command), std::chrono::minutes{10});
  if (!captured) throw std::runtime_error{captured.error()};
  return *captured;
}

/// A file with the text, removed at the end of the test.
class TextFile {
 public:
  TextFile(const std::string& name, const std::string& text)
      : path_{std::filesystem::temp_directory_path() / fmt::format("gleaner-{}-{}", ::getpid(), name)} {
    std::ofstream{path_, std::ios::binary} << text;
  }
  ~TextFile() { std::filesystem::remove(path_); }
  TextFile(const TextFile&) = delete;
  TextFile& operator=(const TextFile&) = delete;
  [[nodiscard]] std::string path() const { return path_.string(); }

 private:
  std::filesystem::path path_;
};

TEST(ClientPrograms, Help_IsPrinted) {
  for (const auto* program : kPrograms) {
    const auto said = run(program, {"--help"});
    EXPECT_TRUE(said.end.succeeded()) << program << ": " << said.output;
    EXPECT_THAT(said.output, AllOf(HasSubstr(program), HasSubstr("Exit status"))) << program;
  }
}

TEST(ClientPrograms, Version_IsPrinted) {
  for (const auto* program : kPrograms) {
    const auto said = run(program, {"--version"});
    EXPECT_TRUE(said.end.succeeded()) << program;
    EXPECT_THAT(said.output, ::testing::MatchesRegex(fmt::format("{} \\(gleaner\\) [0-9]+\\.[0-9]+\\.[0-9]+\n", program)));
  }
}

TEST(ClientPrograms, UnknownOption_IsAWrongCommandLine) {
  for (const auto* program : kPrograms) {
    const auto said = run(program, {"--hlep"});
    EXPECT_EQ(said.end.exit_status, 2) << program;
    EXPECT_THAT(said.output, HasSubstr("did you mean 'help'?")) << program;
  }
}

TEST(ClientPrograms, ApiThatIsNotThere_IsUnavailable) {
  EXPECT_EQ(run("gridstat", {}).end.exit_status, 5);
  EXPECT_EQ(run("gridevents", {}).end.exit_status, 5);
  EXPECT_EQ(run("griddel", {"3"}).end.exit_status, 5);
  EXPECT_EQ(run("gridwait", {"3"}).end.exit_status, 5);
  EXPECT_EQ(run("gridget", {"3"}).end.exit_status, 5);
  EXPECT_EQ(run("gridclusters", {}).end.exit_status, 5);
  EXPECT_EQ(run("gridusage", {}).end.exit_status, 5);
  EXPECT_EQ(run("gridclean", {"3"}).end.exit_status, 5);
  EXPECT_EQ(run("gridsub", {"--hold", "3"}).end.exit_status, 5);
  EXPECT_EQ(run("gridctl", {"cluster", "list"}).end.exit_status, 5);
}

TEST(ClientPrograms, IdThatIsNone_IsAWrongCommandLine) {
  EXPECT_EQ(run("gridstat", {"three"}).end.exit_status, 2);
  EXPECT_EQ(run("griddel", {"3,x"}).end.exit_status, 2);
  EXPECT_EQ(run("griddel", {}).end.exit_status, 2);
  EXPECT_EQ(run("gridwait", {"0"}).end.exit_status, 2);
  EXPECT_EQ(run("gridget", {}).end.exit_status, 2);
  EXPECT_EQ(run("gridget", {"3,4"}).end.exit_status, 2);
  EXPECT_EQ(run("gridget", {"3", "--task", "9-7"}).end.exit_status, 2);
  EXPECT_EQ(run("gridget", {"3", "--list", "--to", "x"}).end.exit_status, 2);
  EXPECT_EQ(run("gridstat", {"--full"}).end.exit_status, 2);
}

TEST(Gridsub, WrongCampaign_ReportsEveryProblemWithItsPlace_AndSendsNoRequest) {
  const TextFile jdl{
      "wrong.jdl",
      "{\n  \"name\": \"x\",\n  \"clusters\": {\"alpha\": {\"exec_file\": \"e\", \"waltime\": \"1:00:00\", \"resources\": \"/core=none\"}}\n}\n"};
  const auto said = run("gridsub", {"-n", "2", "-f", jdl.path()});
  EXPECT_EQ(said.end.exit_status, 2);
  EXPECT_THAT(said.output,
              AllOf(HasSubstr(jdl.path() + ":3:"), HasSubstr("did you mean 'walltime'?"), HasSubstr("clusters.alpha.resources")));
}

TEST(Gridsub, WrongParameters_AreReportedByTheirLines) {
  const TextFile jdl{"good.jdl", R"({"name": "x", "clusters": {"alpha": {"exec_file": "e"}}})"};
  const TextFile parameters{"parameters", "1 one\n2 \"two\n# no parameter\n3 'three\n"};
  const auto said = run("gridsub", {"-f", jdl.path(), "-p", parameters.path()});
  EXPECT_EQ(said.end.exit_status, 2);
  EXPECT_THAT(said.output, AllOf(HasSubstr(parameters.path() + ":2:3:"), HasSubstr(parameters.path() + ":4:3:")));
}

TEST(Gridsub, BudgetOfNoSimulation_IsRefused) {
  const TextFile jdl{"budget.jdl", R"({"name": "x", "nb_jobs": 3, "clusters": {"alpha": {"exec_file": "e"}}})"};
  EXPECT_THAT(run("gridsub", {"-f", jdl.path(), "--budget", "1m"}).output, HasSubstr("--budget goes with --what-if"));
  EXPECT_THAT(run("gridsub", {"-c", "3", "-n", "1", "--dry-run", "--budget", "1m"}).output, HasSubstr("--budget goes with --what-if"));
  for (const auto* wrong : {"soon", "0", "-1s"})
    EXPECT_EQ(run("gridsub", {"--what-if", fmt::format("--budget={}", wrong)}).end.exit_status, 2) << wrong;
}

TEST(Gridsub, ParametersTwice_AreRefused) {
  const TextFile jdl{"twice.jdl", R"({"name": "x", "nb_jobs": 3, "clusters": {"alpha": {"exec_file": "e"}}})"};
  EXPECT_EQ(run("gridsub", {"-f", jdl.path(), "-n", "2"}).end.exit_status, 2);
  EXPECT_EQ(run("gridsub", {"-f", jdl.path(), "-t", "tset"}).end.exit_status, 2);
}

TEST(Gridsub, Sink_GoesWithRetryAlone) {
  EXPECT_EQ(run("gridsub", {"--retry", "3", "--sink", "alpha"}).end.exit_status, 5);
  for (const auto& arguments : std::vector<std::vector<std::string>>{{"--sink", "alpha"}, {"--fix", "3", "--sink", "alpha"}}) {
    const auto said = run("gridsub", arguments);
    EXPECT_EQ(said.end.exit_status, 2);
    EXPECT_THAT(said.output, HasSubstr("--sink goes with --retry"));
  }
}

TEST(Gridsub, FileThatIsNotThere_IsNotFound) { EXPECT_EQ(run("gridsub", {"-f", "/nonexistent/campaign.jdl"}).end.exit_status, 3); }

TEST(Gridctl, UnknownCommand_IsAnsweredWithTheClosestOne) {
  const auto said = run("gridctl", {"cluster", "ad", "alpha", "http://localhost/oarapi"});
  EXPECT_EQ(said.end.exit_status, 2);
  EXPECT_THAT(said.output, HasSubstr("did you mean 'add'?"));
  EXPECT_THAT(run("gridctl", {"clutser", "list"}).output, HasSubstr("did you mean 'cluster'?"));
  EXPECT_EQ(run("gridctl", {}).end.exit_status, 2);
}

TEST(Gridctl, OptionOfAnotherCommand_IsRefused) {
  const auto said = run("gridctl", {"cluster", "list", "--power", "2"});
  EXPECT_EQ(said.end.exit_status, 2);
  EXPECT_THAT(said.output, HasSubstr("does not take --power"));
}

}  // namespace
}  // namespace gleaner
