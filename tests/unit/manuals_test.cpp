// The manual pages and completions that the programs write, against their --help, and read by the programs that they are for.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <set>
#include <stdexcept>

#include <fmt/format.h>

#include "lib/jdl/described_keys.hpp"
#include "lib/process/child.hpp"
#include "lib/process/options.hpp"

namespace gleaner {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::IsEmpty;

struct Described {
  std::string name;
  int section;
};
const std::array kPrograms{Described{"gridsub", 1},   Described{"gridstat", 1},     Described{"gridget", 1},   Described{"gridevents", 1},
                           Described{"griddel", 1},   Described{"gridclusters", 1}, Described{"gridclean", 1}, Described{"gridwait", 1},
                           Described{"gridusage", 1}, Described{"gridsim", 1},      Described{"gridlocal", 1}, Described{"minioar", 1},
                           Described{"gridctl", 8},   Described{"almighty", 8},     Described{"gridapi", 8},   Described{"gridnotify", 1},
                           Described{"gridtoken", 1}, Described{"herald", 8}};

using Words = std::vector<std::string>;

fs::path programs() {
  const char* folder = std::getenv("GLEANER_BIN_DIR");
  return folder != nullptr ? folder : "build-sanitize/bin";
}
fs::path pages() { return programs().parent_path() / "share"; }

process::Captured run(Words words) {
  // The completions ask the grid by its commands, which find none.
  const char* path = std::getenv("PATH");
  auto captured = process::capture(
      {.arguments = std::move(words),
       .environment = {{"PATH", fmt::format("{}:{}", fs::absolute(programs()).string(), path != nullptr ? path : "/usr/bin")},
                       {"GLEANER_API", "unix:/nonexistent/api.socket"},
                       {"GLEANER_DATABASE", "host=/nonexistent dbname=none"},
                       {"ASAN_OPTIONS", "detect_leaks=0"}}},
      std::chrono::minutes{10});
  if (!captured) throw std::runtime_error{captured.error()};
  return *std::move(captured);
}

std::string text_of(const fs::path& path) {
  std::ifstream file{path, std::ios::binary};
  if (!file) throw std::runtime_error{path.string() + " is missing"};
  return {std::istreambuf_iterator<char>{file}, {}};
}

/// The long options that stand at the beginning of a line of --help.
std::set<std::string> options_of(const std::string& program) {
  const auto help = run({programs() / program, "--help"}).output;
  const std::regex option{R"((?:^|\n)  (?:-\w(?:, | \[ ))?--([a-z][a-z0-9_-]*))"};
  std::set<std::string> names;
  for (std::sregex_iterator match{help.begin(), help.end(), option}, end; match != end; ++match) names.insert((*match)[1]);
  return names;
}

std::string dashes_escaped(const std::string& text) { return std::regex_replace(text, std::regex{"-"}, R"(\-)"); }

fs::path page_of(const Described& program) { return pages() / fmt::format("man{1}/{0}.{1}", program.name, program.section); }

TEST(Manuals, EachOptionOfHelp_IsInThePage_AndInEachCompletion) {
  for (const auto& program : kPrograms) {
    const auto page = text_of(page_of(program));
    const auto bash = text_of(pages() / "bash" / program.name);
    const auto zsh = text_of(pages() / "zsh" / ("_" + program.name));
    const auto fish = text_of(pages() / "fish" / (program.name + ".fish"));
    const auto options = options_of(program.name);
    EXPECT_GE(options.size(), 2U) << program.name;
    for (const auto& option : options) {
      EXPECT_THAT(page, HasSubstr(dashes_escaped("\\fB--" + option + "\\fR"))) << program.name;
      EXPECT_TRUE(std::regex_search(bash, std::regex{fmt::format("[ ']--{}[ ']", option)})) << program.name << " --" << option;
      EXPECT_TRUE(std::regex_search(zsh, std::regex{fmt::format("--{}[=\\[}}]", option)})) << program.name << " --" << option;
      EXPECT_THAT(fish, HasSubstr(fmt::format(" -l {} ", option))) << program.name;
    }
  }
}

TEST(Manuals, CommandsOfGridctl_AreInItsPage) {
  const auto page = text_of(pages() / "man8/gridctl.8");
  EXPECT_THAT(page, HasSubstr("\\fBcluster retire\\fR \\fICLUSTER\\fR\nit is gone"));
  EXPECT_THAT(page, HasSubstr("Options: \\-\\-yes, \\-\\-reason."));
}

TEST(Manuals, ConfigurationAndCampaignFiles_HavePagesOfTheirOwn) {
  const auto configuration = text_of(pages() / "man5/gleaner.conf.5");
  for (const auto& option : process::options()) EXPECT_THAT(configuration, HasSubstr(fmt::format("\\fB{}\\fR \\fI= ", option.key)));
  const auto campaign = text_of(pages() / "man5/gleaner-jdl.5");
  for (const auto& key : jdl::described_keys()) EXPECT_THAT(campaign, HasSubstr(fmt::format(".TP\n\\fB{}\\fR ", key.name)));
}

TEST(Manuals, Pages_AreReadByGroffWithoutAWarning) {
  Words files{pages() / "man5/gleaner.conf.5", pages() / "man5/gleaner-jdl.5"};
  for (const auto& program : kPrograms) files.push_back(page_of(program));
  for (const auto& file : files) {
    const auto said = run({"groff", "-man", "-ww", "-Tutf8", "-z", file});
    EXPECT_TRUE(said.end.succeeded()) << file;
    EXPECT_THAT(said.output, IsEmpty()) << file;
  }
}

TEST(Manuals, DescriptionThatThereIsNone_IsRefusedWithThoseThatThereAre) {
  const auto said = run({programs() / "gridstat", "--describe=html"});
  EXPECT_EQ(said.end.exit_status, 2);
  EXPECT_THAT(said.output, HasSubstr("--describe=html: must be one of man, bash, zsh, fish, conf"));
}

TEST(Completions, AreReadByTheirShells) {
  for (const auto& program : kPrograms) {
    for (const auto& [shell, file] :
         {std::pair{"bash", pages() / "bash" / program.name}, std::pair{"zsh", pages() / "zsh" / ("_" + program.name)},
          std::pair{"fish", pages() / "fish" / (program.name + ".fish")}}) {
      const auto said = run({shell, "-n", file});
      EXPECT_TRUE(said.end.succeeded()) << file << ": " << said.output;
      EXPECT_THAT(said.output, IsEmpty()) << file;
    }
  }
}

/// The completions of bash for the last of the words, the first of which is the program.
std::string in_bash(const Words& words) {
  const std::string script = R"(source "$1/$2"; shift
COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); "_gleaner_$1" "$1" "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"; echo " ${COMPREPLY[*]} ")";
  Words arguments{"bash", "-c", script, "bash", pages() / "bash"};
  arguments.insert(arguments.end(), words.begin(), words.end());
  return run(std::move(arguments)).output;
}

/// The same of fish, for a command line.
std::set<std::string> in_fish(const std::string& program, const std::string& line) {
  const auto said =
      run({"fish", "--no-config", "-c", fmt::format("source {}/fish/{}.fish; complete -C '{}'", pages().string(), program, line)}).output;
  std::set<std::string> offered;
  for (std::size_t begin = 0; begin < said.size();) {
    const auto end = std::min(said.find('\n', begin), said.size());
    const auto one = said.substr(begin, end - begin);
    offered.insert(one.substr(0, one.find('\t')));
    begin = end + 1;
  }
  return offered;
}

TEST(Completions, OfferTheCommandsOfGridctl) {
  EXPECT_THAT(in_bash({"gridctl", ""}),
              testing::AllOf(HasSubstr(" limit "), HasSubstr(" share "), HasSubstr(" usage "), HasSubstr(" check ")));
  EXPECT_EQ(in_bash({"gridctl", "limit", ""}), " list remove set \n");
  EXPECT_EQ(in_bash({"gridctl", "rules", "e"}), " edit enable \n");
  EXPECT_EQ(in_bash({"gridctl", "limit", "set", "running"}), " running_jobs \n");
  EXPECT_EQ(in_bash({"gridctl", "share", "set", ""}), " project group user \n");
  EXPECT_EQ(in_bash({"gridctl", "check", ""}), "  \n");
  EXPECT_EQ(in_bash({"gridctl", "db", ""}), " check migrate restored status \n");
  EXPECT_EQ(in_bash({"gridctl", "cluster", "re"}), " remove retire \n");
  EXPECT_EQ(in_fish("gridctl", "gridctl limit "), (std::set<std::string>{"list", "remove", "set"}));
  EXPECT_EQ(in_fish("gridctl", "gridctl share set "), (std::set<std::string>{"group", "project", "user"}));
  EXPECT_EQ(in_fish("gridctl", "gridctl user map root "), std::set<std::string>{}) << "no grid, no cluster";
  EXPECT_THAT(in_fish("gridctl", "gridctl user map ro"), testing::Contains("root"));
}

TEST(Completions, OfferOptions_AndTheirValues) {
  EXPECT_EQ(in_bash({"gridsub", "--wh"}), " --what-if \n");
  EXPECT_EQ(in_bash({"gridsim", "--va"}), " --vary \n");
  EXPECT_EQ(in_bash({"gridsim", ""}), " run compare \n");
  EXPECT_EQ(in_bash({"gridsim", "--set", "campaign_o"}), " campaign_order= \n");
  EXPECT_EQ(in_bash({"gridctl", "cluster", "add", "--auth", "=", "c"}), " certificate \n");
  EXPECT_THAT(in_bash({"gridctl", "user", "map", "ro"}), HasSubstr(" root "));
  EXPECT_EQ(in_fish("gridsub", "gridsub --wh"), std::set<std::string>{"--what-if"});
  EXPECT_EQ(in_fish("gridsub", "gridsub -t "), (std::set<std::string>{"default", "test"}));
  EXPECT_THAT(in_fish("gridsim", "gridsim run shared-clusters.js"), IsEmpty());
  EXPECT_THAT(in_fish("gridsim", "gridsim run examples/shared-clusters.js"), testing::ElementsAre("examples/shared-clusters.json"));
}

}  // namespace
}  // namespace gleaner
