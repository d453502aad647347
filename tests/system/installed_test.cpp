// The result of `cmake --install` works where it is, without the tree that it was built in.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <set>
#include <sstream>
#include <stdexcept>

#include <unistd.h>

#include <fmt/format.h>

#include "lib/process/child.hpp"
#include "tests/source_tree.hpp"

namespace gleaner {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::MatchesRegex;

constexpr std::chrono::minutes kLimit{30};

using Words = std::vector<std::string>;
/// The commands of gleaner-workflows: engines call them, so that no shell completes their options.
const std::set<std::string> kForEngines{"grid-oar", "grid-snakemake-cancel", "grid-snakemake-status", "grid-snakemake-submit"};
using Environment = std::vector<std::pair<std::string, std::string>>;

process::Captured run(Words words, Environment environment = {}) {
  auto captured = process::capture({.arguments = std::move(words), .environment = std::move(environment)}, kLimit);
  if (!captured) throw std::runtime_error{captured.error()};
  return *std::move(captured);
}

std::string text_of(const fs::path& path) {
  std::ifstream file{path, std::ios::binary};
  return {std::istreambuf_iterator<char>{file}, {}};
}

std::set<std::string> names_in(const fs::path& folder) {
  std::set<std::string> names;
  std::error_code missing;
  for (const auto& entry : fs::directory_iterator{folder, missing}) names.insert(entry.path().filename());
  return names;
}

fs::path fresh_folder() {
  std::string pattern = "/tmp/gleaner-installed-XXXXXX";
  if (::mkdtemp(pattern.data()) == nullptr || ::chmod(pattern.c_str(), 0755) != 0) throw std::runtime_error{pattern};
  return pattern;
}

/// The components, below a folder of the test's own as the root.
class Installed : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    root_ = fresh_folder();
    const char* programs = std::getenv("GLEANER_BIN_DIR");
    const auto tree = fs::absolute(programs != nullptr ? programs : "build-sanitize/bin").parent_path();
    for (const auto* component : {"clients", "server", "tools", "python", "workflows"}) {
      const auto done =
          run({"cmake", "--install", tree.string(), "--prefix", "/usr", "--component", component}, {{"DESTDIR", root_.string()}});
      ASSERT_TRUE(done.end.succeeded()) << done.output;
    }
  }
  static void TearDownTestSuite() { fs::remove_all(root_); }

  static std::string program(const std::string& name) { return root_ / "usr/bin" / name; }

  static inline fs::path root_;
};

TEST_F(Installed, Programs_AreInPath_AndThoseThatOnlyTheyStart_AreNot) {
  const std::set<std::string> programs{"almighty",   "gridapi", "gridclean", "gridclusters", "gridctl",    "griddel",
                                       "gridevents", "gridget", "gridlocal", "gridsim",      "gridnotify", "gridtoken",
                                       "gridstat",   "gridsub", "gridusage", "gridwait",     "herald",     "minioar"};
  const std::set<std::string> helpers{"admission",  "metascheduler", "minioar-job", "nikita",  "oar",
                                      "param-file", "predictor",     "runner",      "updator", "what-if"};
  auto all = programs;
  all.insert(kForEngines.begin(), kForEngines.end());
  EXPECT_EQ(names_in(root_ / "usr/bin"), all);
  EXPECT_EQ(names_in(root_ / "usr/libexec/gleaner"), helpers);
  for (const auto& name : programs) EXPECT_THAT(run({program(name), "--version"}).output, MatchesRegex(name + " .*[0-9.]+\n"));
}

TEST_F(Installed, CommandsOfWorkflowEngines_FindTheirModules_WhereverTheyAre) {
  for (const auto* name : {"grid-snakemake-submit", "grid-snakemake-status", "grid-snakemake-cancel"})
    EXPECT_THAT(run({program(name), "--version"}).output, MatchesRegex(std::string{name} + " of gleaner-workflows [0-9.]+\n"));
  EXPECT_EQ(run({program("grid-oar"), "which", "oarsub"}).output, (root_ / "usr/libexec/gleaner/oar/oarsub").string() + "\n");
  EXPECT_EQ(run({program("grid-oar"), "oarsub", "--version"}).output, "oarsub of gleaner-workflows " GLEANER_VERSION "\n");
  EXPECT_TRUE(fs::exists(root_ / "usr/share/man/man1/grid-oar.1"));
  EXPECT_FALSE(fs::exists(root_ / "usr/lib/python3/dist-packages/gleaner/__pycache__"));
}

TEST_F(Installed, Units_NameInstalledPrograms) {
  for (const auto* name : {"almighty", "api", "herald"}) {
    const auto unit = text_of(root_ / fmt::format("usr/lib/systemd/system/gleaner-{}.service", name));
    const auto begin = unit.find("\nExecStart=");
    ASSERT_NE(begin, std::string::npos) << name;
    const auto path = begin + std::string_view{"\nExecStart=/"}.size();
    const auto started = unit.substr(path, unit.find_first_of(" \n", path) - path);
    EXPECT_TRUE(fs::exists(root_ / started)) << started;
  }
}

/// Exposure is systemd's own figure, from 0 to 10; the threshold is ten times that.
TEST_F(Installed, Units_AreRight_AndConfined) {
  for (const auto* name : {"gleaner-almighty.service", "gleaner-api.service", "gleaner-herald.service"}) {
    const auto unit = root_ / name;
    std::ofstream{unit} << std::regex_replace(text_of(root_ / "usr/lib/systemd/system" / name), std::regex{"/usr/bin/"},
                                              (root_ / "usr/bin/").string());
    const auto verified = run({"systemd-analyze", "verify", "--man=no", unit});
    EXPECT_TRUE(verified.end.succeeded()) << verified.output;
    EXPECT_THAT(verified.output, IsEmpty());
    const auto confined = run({"systemd-analyze", "security", "--offline=yes", "--threshold=25", unit});
    EXPECT_TRUE(confined.end.succeeded()) << confined.output;
    fs::remove(unit);
  }
}

TEST_F(Installed, ConfigurationOfTheMachine_IsOutsideOfThePrefix_AndExamplesAreWithTheDocuments) {
  EXPECT_THAT(text_of(root_ / "etc/logrotate.d/gleaner"), HasSubstr("/var/log/gleaner"));
  const auto documents = root_ / "usr/share/doc";
  for (const auto* file : {"gleaner-server/examples/gleaner.conf", "gleaner-server/examples/gleaner.cron", "gleaner-server/LICENSE",
                           "gleaner-clients/commands.md", "gleaner-clients/examples/primes.jdl", "gleaner-tools/simulator.md"})
    EXPECT_TRUE(fs::exists(documents / file)) << file;
}

TEST_F(Installed, EachCommand_HasAManualPage_AndCompletions) {
  const auto share = root_ / "usr/share";
  EXPECT_EQ(names_in(share / "man/man1").size() + names_in(share / "man/man8").size(), names_in(root_ / "usr/bin").size());
  EXPECT_EQ(names_in(share / "man/man5"), (std::set<std::string>{"gleaner-jdl.5", "gleaner.conf.5"}));
  auto completed = names_in(root_ / "usr/bin");
  for (const auto& name : kForEngines) completed.erase(name);
  EXPECT_EQ(names_in(share / "bash-completion/completions"), completed);
  EXPECT_TRUE(fs::exists(share / "zsh/vendor-completions/_gridctl"));
  EXPECT_TRUE(fs::exists(share / "fish/vendor_completions.d/gridctl.fish"));
}

/// The place of a local grid of installed programs, which ends with the test.
class Local {
 public:
  explicit Local(std::string gridlocal) : gridlocal_{std::move(gridlocal)} {}
  ~Local() {
    static_cast<void>(run({gridlocal_, "down", state()}));
    std::error_code ignored;
    fs::remove_all(place_, ignored);
  }
  Local(const Local&) = delete;
  Local& operator=(const Local&) = delete;

  [[nodiscard]] process::Captured up() const { return run({gridlocal_, "up", state(), "--clusters=1", "--cores=2"}); }
  [[nodiscard]] const fs::path& place() const { return place_; }

 private:
  [[nodiscard]] std::string state() const { return "--state=" + place_.string(); }
  std::string gridlocal_;
  fs::path place_ = fresh_folder();
};

/// A grid of installed programs alone: its modules, the interpreter of rules, the reader of parameter files and the supervisors of jobs are
/// helpers.
TEST_F(Installed, CampaignRunsToItsEnd_AndARuleChecksIt) {
  const Local local{program("gridlocal")};
  const auto& place = local.place();
  const auto up = local.up();
  ASSERT_TRUE(up.end.succeeded()) << up.output;
  const Environment grid{{"GLEANER_CONFIG", (place / "gleaner.conf").string()}};
  std::ofstream{place / "greeting.rb"} << "warn 'a rule has read it'\n";
  std::ofstream{place / "two.jdl"} << R"({"name": "two", "nb_jobs": 2, "exec_file": "true", "clusters": {"alpha": {}}})";
  const auto rule = run({program("gridctl"), "rules", "add", place / "greeting.rb"}, grid);
  EXPECT_TRUE(rule.end.succeeded()) << rule.output;
  const auto status = run({program("gridctl"), "db", "status"}, grid);
  EXPECT_TRUE(status.end.succeeded()) << status.output;
  const auto campaign = run({program("gridsub"), "-w", "-f", place / "two.jdl"}, grid);
  EXPECT_TRUE(campaign.end.succeeded()) << campaign.output;
  EXPECT_THAT(campaign.output, testing::AllOf(HasSubstr("a rule has read it"), HasSubstr("2 of 2 tasks done")));
  const auto events = run({program("gridctl"), "event", "list", "--quiet"}, grid);
  EXPECT_THAT(events.output, IsEmpty());
}

/// `tools/build demo` builds these programs alone.
TEST(Demonstration, ProgramsThatAreBuiltForIt_AreAGridThatRunsACampaignToItsEnd) {
  const char* folder = std::getenv("GLEANER_BIN_DIR");
  const fs::path built{folder != nullptr ? folder : "build-sanitize/bin"};
  const auto script = tests::source_text("tools/build");
  std::smatch listed;
  ASSERT_TRUE(std::regex_search(script, listed, std::regex{"\nDEMO=\\(([a-z -]+)\\)\n"}));
  std::istringstream names{listed[1]};
  // Beside the others: links to them are on one file system, and programs find those of their own folder.
  const auto alone = built / fmt::format("demo-{}", ::getpid());
  fs::create_directory(alone);
  for (std::string name; names >> name;) fs::create_hard_link(built / name, alone / name);
  {
    const Local local{alone / "gridlocal"};
    const auto up = local.up();
    EXPECT_TRUE(up.end.succeeded()) << up.output;
    const Environment grid{{"GLEANER_CONFIG", (local.place() / "gleaner.conf").string()}};
    std::ofstream{local.place() / "two.jdl"} << R"({"name": "two", "nb_jobs": 2, "exec_file": "true", "clusters": {"alpha": {}}})";
    const auto campaign = run({alone / "gridsub", "--quiet", "-f", local.place() / "two.jdl"}, grid);
    EXPECT_TRUE(campaign.end.succeeded()) << campaign.output;
    const auto waited = run({alone / "gridwait", "1"}, grid);
    EXPECT_TRUE(waited.end.succeeded()) << waited.output;
    EXPECT_TRUE(run({alone / "gridstat", "-c", "1"}, grid).end.succeeded());
  }
  fs::remove_all(alone);
}

}  // namespace
}  // namespace gleaner
