#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "tests/system/grid_under_test.hpp"

/// A restore of the database from a dump, as the guide says (docs/administration.md, "Backup and restore").
namespace gleaner::tests {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

/// The commands of root in the guide's section, in their order.
std::vector<std::string> commands_of_guide() {
  const char* root = std::getenv("GLEANER_SOURCE_DIR");
  std::ifstream guide{fs::path{root != nullptr ? root : "."} / "docs/administration.md"};
  std::vector<std::string> commands;
  bool inside = false;
  for (std::string line; std::getline(guide, line);) {
    if (line.starts_with("## ")) inside = line == "## Backup and restore";
    if (inside && line.starts_with("# ")) commands.push_back(line.substr(2));
  }
  return commands;
}

void replace_all(std::string& text, const std::string& what, const std::string& with) {
  for (auto at = text.find(what); at != std::string::npos; at = text.find(what, at + with.size())) text.replace(at, what.size(), with);
}

class Restore : public ::testing::Test {
 protected:
  void SetUp() override {
    grid.start_api();
    grid.almighty().start();
  }
  /// Carries out a command of the guide, in this grid instead of a machine with systemd.
  void carry_out(std::string command) {
    SCOPED_TRACE(command);
    const auto begins = [&](std::string_view text) { return command.starts_with(text); };
    if (begins("systemctl stop")) {
      grid.almighty().stop();
      grid.api().stop();
    } else if (begins("systemctl start")) {
      grid.almighty().start();
      grid.start_api();
    } else if (begins("gridctl db restored")) {
      const auto said = grid.run("gridctl", {"db", "restored"});
      EXPECT_TRUE(said.end.succeeded()) << said.output << said.errors;
    } else {
      ASSERT_THAT(command, StartsWith("runuser -u postgres -- "));
      command.erase(0, std::string_view{"runuser -u postgres -- "}.size());
      const auto& conninfo = grid.conninfo();
      const auto name = conninfo.substr(conninfo.rfind("dbname=") + 7);
      replace_all(command, "gleaner.dump", (grid.folder() / "dump").string());
      replace_all(command, "-O gleaner", "-O owner");
      replace_all(command, " gleaner", " " + name);
      replace_all(command, "-O owner", "-O gleaner");
      const auto host = conninfo.substr(5, conninfo.find(' ') - 5);
      const auto line =
          fmt::format("PATH=$(ls -d /usr/lib/postgresql/*/bin | sort -V | tail -n 1):$PATH PGHOST={} PGUSER=gleaner {}", host, command);
      EXPECT_EQ(std::system(line.c_str()), 0) << line;
    }
  }
  void dump() { carry_out(commands_of_guide().at(0)); }
  void restore() {
    const auto commands = commands_of_guide();
    ASSERT_EQ(commands.size(), 7U);
    for (std::size_t i = 1; i < commands.size(); ++i) carry_out(commands[i]);
  }
  std::string of(grid::CampaignId campaign, const std::string& column) {
    return fmt::format("SELECT {} FROM campaigns WHERE id = {}", column, campaign.value());
  }
  [[nodiscard]] std::vector<std::string> lines_of(const std::string& name) const {
    std::ifstream file{grid.oracle().folder() / name};
    std::vector<std::string> lines;
    for (std::string line; std::getline(file, line);) lines.push_back(line);
    std::ranges::sort(lines);
    return lines;
  }
  GridUnderTest grid;
};

TEST_F(Restore, ByTheGuideInMidCampaign_FollowsWhatRanSince_AndBelievesNoFileOfACampaignThatHadTheSameId) {
  const auto kept = grid.gridsub(grid.jdl_of({.tasks = 80, .exec_file = grid.oracle().task("sleep 0.5")}));
  const auto pooled = grid.gridsub({.tasks = 60, .exec_file = grid.oracle().task("sleep 0.3"), .grouping = true});
  ASSERT_TRUE(grid.becomes(of(kept, "done >= 5"), "t"));
  dump();
  const auto forgotten = grid.gridsub(grid.jdl_of({.tasks = 6, .exec_file = grid.oracle().task()}));
  ASSERT_TRUE(grid.terminates(forgotten));
  ASSERT_TRUE(grid.becomes(of(kept, "done >= 40"), "t"));
  restore();
  const auto tells = fmt::format("bash -c 'echo $1 >> {}/again; echo again $1' task", grid.oracle().folder().string());
  const auto again = grid.gridsub({.tasks = 6, .exec_file = tells});
  ASSERT_EQ(again, forgotten) << "ids are given again";
  ASSERT_TRUE(grid.terminates(again));
  EXPECT_THAT(lines_of("again"), ElementsAre("0", "1", "2", "3", "4", "5")) << "none is done by a file of before";
  const auto fetched = grid.run("gridget", {std::to_string(again.value()), "--to", (grid.folder() / "fetched").string()});
  EXPECT_TRUE(fetched.end.succeeded()) << fetched.output << fetched.errors;
  std::ifstream output{grid.folder() / "fetched" / "3.out"};
  std::ostringstream text;
  text << output.rdbuf();
  EXPECT_EQ(text.str(), "again 3\n");
  ASSERT_TRUE(grid.terminates(kept));
  ASSERT_TRUE(grid.terminates(pooled));
  EXPECT_TRUE(grid.is_exactly_done(kept, 80));
  EXPECT_TRUE(grid.is_exactly_done(pooled, 60));
  EXPECT_THAT(grid.value(fmt::format("SELECT message FROM events WHERE code = 'DATABASE_RESTORED' AND campaign_id = {}", kept.value())),
              HasSubstr("knows nothing after"));
  EXPECT_EQ(grid.number("SELECT count(*) FROM epochs"), 1) << "the command and the database's identity mean the same restore";
}

}  // namespace
}  // namespace gleaner::tests
