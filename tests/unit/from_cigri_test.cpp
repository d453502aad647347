// docs/from-cigri.md makes a claim in each row of its tables. tests/unit/from_cigri.tsv names the tests that show it.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "lib/process/options.hpp"
#include "tests/source_tree.hpp"
#include "tests/unit/names_of_tests.hpp"

namespace gleaner::tests {
namespace {

namespace fs = std::filesystem;

/// A row of a table: the heading above it, its first cell, and the whole line.
struct Row {
  std::string heading;
  std::string cell;
  std::string line;
};

std::vector<std::string> lines_of(const fs::path& path) {
  std::ifstream file{path};
  EXPECT_TRUE(file) << path;
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);) lines.push_back(line);
  return lines;
}

/// The first cell; of a row without one, the beginning of what follows.
std::string first_cell(const std::string& line) {
  if (!line.starts_with("| |")) return line.substr(2, line.find(" | ") - 2);
  constexpr std::size_t kMost = 60;
  const auto begin = std::min(line.find_first_not_of("| "), line.size());
  const auto end = line.find_last_not_of(" |") + 1;
  return line.substr(begin, std::min(kMost, end - begin));
}

std::vector<Row> rows() {
  const auto lines = lines_of(source_tree() / "docs/from-cigri.md");
  std::vector<Row> all;
  std::string heading;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const auto& line = lines[i];
    if (line.starts_with('#')) heading = line.substr(line.find_first_not_of("# "));
    const auto is_rule = [&](std::size_t at) { return at < lines.size() && lines[at].starts_with("|---"); };
    // The table at the beginning explains the words of the others.
    if (line.starts_with('|') && !is_rule(i) && !is_rule(i + 1) && heading != "From CiGri")
      all.push_back({heading, first_cell(line), line});
  }
  return all;
}

/// The tests of each row, by heading and first cell.
std::map<std::pair<std::string, std::string>, std::vector<std::string>> claims() {
  std::map<std::pair<std::string, std::string>, std::vector<std::string>> all;
  for (const auto& line : lines_of(source_tree() / "tests/unit/from_cigri.tsv")) {
    std::istringstream cells{line};
    std::string heading, cell, names;
    std::getline(cells, heading, '\t');
    std::getline(cells, cell, '\t');
    std::getline(cells, names);
    std::istringstream words{names};
    auto& tests = all[{heading, cell}];
    for (std::string name; words >> name;) tests.push_back(name);
  }
  return all;
}

TEST(FromCigri, EachRow_HasTestsThatShowIt) {
  const auto tests = names_of_tests();
  auto claimed = claims();
  for (const auto& row : rows()) {
    const auto found = claimed.extract({row.heading, row.cell});
    ASSERT_FALSE(found.empty()) << "tests/unit/from_cigri.tsv has no test of this row of '" << row.heading << "': " << row.line;
    EXPECT_FALSE(found.mapped().empty()) << row.line;
    for (const auto& test : found.mapped()) EXPECT_TRUE(tests.contains(test)) << test << ", which is to show: " << row.line;
  }
  for (const auto& [key, unused] : claimed) ADD_FAILURE() << "no row of '" << key.first << "' begins with '" << key.second << "'";
}

/// Words such as `remote_waiting_timeout`, beside CiGri's in capitals.
TEST(FromCigri, TheKeysThatItNames_AreThoseOfTheConfiguration) {
  const std::regex word{R"(`([a-z]+(?:_[a-z]+)+)`)"};
  const std::regex keys_of_cigri{R"(^\| `[A-Z])"};
  std::size_t found = 0;
  for (const auto& row : rows()) {
    if (row.heading != "For administrators" || !std::regex_search(row.line, keys_of_cigri)) continue;
    for (std::sregex_iterator at{row.line.begin(), row.line.end(), word}, end; at != end; ++at, ++found)
      EXPECT_NE(process::find_option((*at)[1].str()), nullptr) << (*at)[1] << " in: " << row.line;
  }
  EXPECT_GT(found, 20U);
}

}  // namespace
}  // namespace gleaner::tests
