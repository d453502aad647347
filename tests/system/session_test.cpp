// The sessions of the documents, as they stand there: a user's commands in their order, with what they print.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <map>
#include <span>
#include <sstream>

#include "tests/system/grid_under_test.hpp"

namespace gleaner::tests {
namespace {

/// A document, and the heading below which its session is; empty: all of it is.
struct Document {
  std::string_view file;
  std::string_view heading{};
};
constexpr Document kCommands{"docs/commands.md", "## A session"};
constexpr Document kTutorial{"docs/tutorial.md"};
constexpr Document kAdministration{"docs/administration.md"};
constexpr Document kCareless{"docs/careless.md"};
constexpr std::string_view kAnything = "…";
constexpr std::string_view kStatus = "(exit status ";

using Lines = std::vector<std::string>;

/// A command with what it prints, on stdout and stderr together.
struct Step {
  std::string command;
  Lines printed{};
  int exit_status = 0;
};

/// `$ ` begins a command, `> ` continues it, as a shell prompts for them; the other lines of a block are printed by the command before.
std::vector<Step> session(const Document& document) {
  const char* root = std::getenv("GLEANER_SOURCE_DIR");
  std::ifstream file{std::filesystem::path{root != nullptr ? root : "."} / document.file};
  std::vector<Step> steps;
  bool is_here = document.heading.empty(), is_block = false, is_session = false;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("## ")) is_here = document.heading.empty() || line == document.heading;
    if (!is_here) continue;
    if (line.starts_with("```")) is_block = !is_block, is_session = false;
    else if (!is_block) continue;
    else if (line.starts_with("$ ")) is_session = true, steps.push_back({line.substr(2)});
    else if (!is_session) continue;
    else if (line == ">" || line.starts_with("> ")) steps.back().command += "\n" + (line.size() > 2 ? line.substr(2) : std::string{});
    else if (line.starts_with(kStatus)) steps.back().exit_status = std::stoi(line.substr(kStatus.size()));
    else steps.back().printed.push_back(line);
  }
  return steps;
}

Lines lines_of(const std::string& text) {
  Lines lines;
  std::istringstream stream{text};
  for (std::string line; std::getline(stream, line);) lines.push_back(line.substr(0, line.find_last_not_of(' ') + 1));
  return lines;
}

/// Whether the line is as written, where `…` is any text.
bool is_line(std::string_view written, std::string_view line) {
  const auto gap = written.find(kAnything);
  if (gap == std::string_view::npos) return written == line;
  if (line.substr(0, gap) != written.substr(0, gap)) return false;
  const auto rest = written.substr(gap + kAnything.size());
  for (auto at = gap; at <= line.size(); ++at) {
    if (is_line(rest, line.substr(at))) return true;
  }
  return false;
}

bool are_lines(std::span<const std::string> written, std::span<const std::string> lines) {
  if (written.empty()) return lines.empty();
  if (written[0] == kAnything) return are_lines(written.subspan(1), lines) || (!lines.empty() && are_lines(written, lines.subspan(1)));
  return !lines.empty() && is_line(written[0], lines[0]) && are_lines(written.subspan(1), lines.subspan(1));
}

/// @param first  the number of its first campaign
void run_session(const Document& document, int first) {
  GridUnderTest grid{{.configuration = {{"cycle_period", "200ms"}, {"evidence_delay", "200ms"}}}};
  grid.execute(fmt::format("ALTER TABLE campaigns ALTER COLUMN id RESTART WITH {}", first));
  grid.start_api();
  grid.almighty().start();
  ASSERT_TRUE(grid.becomes("SELECT bool_and(reachable IS TRUE) FROM clusters", "t"));
  const auto home = grid.folder() / "session";
  std::filesystem::create_directory(home);
  // Mail goes into a file of the user's.
  const auto sendmail = grid.folder() / "sendmail";
  std::ofstream{sendmail} << "#!/bin/sh\n{ cat; echo; } >> " << (home / "mail").string() << "\n";
  std::filesystem::permissions(sendmail, std::filesystem::perms::owner_all);
  auto herald = grid.background("herald", {"--mail_sendmail", sendmail.string(), "--mail_from", "grid@example.org", "--herald_delay",
                                           "200ms", "--herald_interval", "0s"});
  herald.start();
  const auto path = fmt::format("{}:{}", program("gridsub").parent_path().string(), std::getenv("PATH"));
  const auto steps = session(document);
  EXPECT_GT(steps.size(), 10U) << document.file;
  for (const auto& step : steps) {
    process::Command command{.arguments = {"/bin/bash", "-c", step.command}, .directory = home};
    command.environment = {{"GLEANER_CONFIG", (grid.folder() / "gleaner.conf").string()}, {"PATH", path}, {"HOME", home.string()}};
    const auto said = process::capture(std::move(command), kHangGuard);
    ASSERT_TRUE(said) << step.command << ": " << said.error();
    EXPECT_EQ(said->end.text(), fmt::format("exit status {}", step.exit_status)) << step.command;
    EXPECT_TRUE(are_lines(step.printed, lines_of(said->output))) << "$ " << step.command << "\n" << said->output;
  }
  EXPECT_TRUE(grid.is_consistent());
}

TEST(Session, OfTheDocument_RunsAsItIsWritten) { run_session(kCommands, 12); }

TEST(Session, OfTheTutorial_RunsAsItIsWritten) { run_session(kTutorial, 1); }

TEST(Session, OfTheGuideForAdministrators_RunsAsItIsWritten) { run_session(kAdministration, 1); }

TEST(Session, OfTheCarelessUser_RunsAsItIsWritten) { run_session(kCareless, 1); }

/// The features of campaigns with pools, scripts, changes in flight and outputs.
TEST(Session, OfTheDocument_HasEachKeyAndOption) {
  std::map<std::string, std::string> commands;
  for (const auto& step : session(kCommands)) {
    for (const auto* const program : {"gridsub", "gridstat", "gridevents", "griddel", "gridget", "cat >"}) {
      if (step.command.find(program) != std::string::npos) commands[program] += step.command + " \n";
    }
  }
  const std::map<std::string, std::vector<std::string>> wanted{
      {"cat >",
       {"\"dimensional_grouping\": true", "\"temporal_grouping\": true", "\"temporal_grouping\": false", "\"prologue\"",
        "\"prologue_walltime\"", "\"epilogue\"", "\"epilogue_walltime\"", "\"max_fails\": \"10%\"", "\"max_fails\": 0",
        "\"output_directory\"", "\"output_files\"", "\"output_file\"", "\"output_gathering_method\"", "\"output_destination\""}},
      {"gridsub",
       {"\"temporal_grouping\": \"auto\"", "-c 13 -F ", "-c 13 -J ", "-c 13 -p ", "-c 13 -n ", "| gridsub -c 13", "--edit ",
        "--retry 14 --task ", "--rerun-failed "}},
      {"gridevents", {"gridevents "}},
      {"gridstat",
       {"--task ", "-O", "-E", "--stdout", "--stderr", "--follow", "--lines ", "--attempt ", "-j ", "-C", "--params", "--state failed -q"}},
      {"griddel", {"--task "}},
      {"gridget", {"--task ", "-t ", "--to ", "--list", "--json", "--csv", "-q"}}};
  for (const auto& [program, words] : wanted) {
    for (const auto& word : words) EXPECT_NE(commands[program].find(word), std::string::npos) << program << ": " << word;
  }
}

}  // namespace
}  // namespace gleaner::tests
