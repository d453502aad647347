#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "tests/source_tree.hpp"

// The pages that belong to a release: CHANGELOG.md and docs/decisions.
namespace gleaner {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

TEST(Changelog, BeginsWithTheVersionOfThePrograms) {
  const auto text = tests::source_text("CHANGELOG.md");
  const auto heading = text.find("\n## ");
  ASSERT_NE(heading, std::string::npos);
  EXPECT_THAT(text.substr(heading + 1), StartsWith("## " GLEANER_VERSION " ("));
}

/// A record of docs/decisions: `# N. Title`, `Date: YYYY-MM-DD. Status: S.`, and its sections.
struct Record {
  explicit Record(const std::string& text) {
    std::istringstream lines{text};
    std::getline(lines, title);
    for (std::string line; std::getline(lines, line);) {
      if (line.starts_with("Date: ")) date = line.substr(6, 10), status = line.substr(line.find("Status: ") + 8);
      if (line.starts_with("## ")) sections.push_back(line.substr(3));
      if (line.starts_with("- ") && sections.back() == "Not chosen") ++alternatives;
    }
  }
  std::string title, date, status;
  std::vector<std::string> sections;
  int alternatives = 0;
};

TEST(Decisions, HaveADateAStatusAndAlternatives_AndALineInTheIndex) {
  const auto index = tests::source_text("docs/decisions/README.md");
  std::set<int> numbers;
  for (const auto& entry : std::filesystem::directory_iterator{tests::source_tree() / "docs/decisions"}) {
    const auto name = entry.path().filename().string();
    if (name == "README.md") continue;
    SCOPED_TRACE(name);
    Record record{tests::source_text("docs/decisions/" + name)};
    const auto number = std::stoi(name);
    EXPECT_TRUE(numbers.insert(number).second) << "two records have this number";
    if (record.sections.size() == 4) record.sections.pop_back();
    EXPECT_THAT(record.sections, ElementsAre("Context", "Decision", "Not chosen"));
    EXPECT_GT(record.alternatives, 0);
    const auto head = "# " + std::to_string(number) + ". ";
    ASSERT_THAT(record.title, StartsWith(head));
    ASSERT_TRUE(record.status.ends_with('.')) << record.status;
    record.status.pop_back();
    EXPECT_THAT(index, HasSubstr("| [" + std::to_string(number) + "](" + name + ") | " + record.date + " | " +
                                 record.title.substr(head.size()) + " | " + record.status + " |\n"));
  }
  ASSERT_GT(numbers.size(), 10U);
  EXPECT_EQ(numbers.size(), static_cast<std::size_t>(*numbers.rbegin())) << "a number is missing";
}

}  // namespace
}  // namespace gleaner
