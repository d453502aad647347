#include <gtest/gtest.h>

#include <sstream>
#include <string>
#include <vector>

#include "tests/source_tree.hpp"

// docs/changes has four changes as examples for contributors (CONTRIBUTING.md, "How to add"): they show how many files such a change
// touches, and still fit the sources.
namespace gleaner {
namespace {

struct Example {
  std::string file;
  std::size_t most_files;
};

class Changes : public testing::TestWithParam<Example> {};

TEST_P(Changes, TouchFewFiles_AndFitTheSources) {
  std::istringstream diff{tests::source_text("docs/changes/" + GetParam().file)};
  std::vector<std::string> files;
  std::string before;  // the file that the next lines change
  std::string hunk;    // what they find there
  const auto check_hunk = [&] {
    EXPECT_NE(before.find(hunk), std::string::npos) << (files.empty() ? "" : files.back()) << " has nowhere:\n" << hunk;
    hunk.clear();
  };
  for (std::string line; std::getline(diff, line);) {
    if (line.starts_with("diff ") || line.starts_with("@@")) check_hunk();
    if (line.starts_with("+++ b/")) files.push_back(line.substr(6));
    if (line.starts_with("--- ")) before = line == "--- /dev/null" ? "" : tests::source_text(line.substr(6));
    const bool stays = line.starts_with(" ") || (line.starts_with("-") && !line.starts_with("--- "));
    if (stays) hunk += line.substr(1) + "\n";
  }
  check_hunk();
  EXPECT_GT(files.size(), 2U);
  EXPECT_LE(files.size(), GetParam().most_files);
}

INSTANTIATE_TEST_SUITE_P(Examples, Changes,
                         testing::Values(Example{"cluster-fact.diff", 5}, Example{"jdl-key.diff", 4}, Example{"observed-fact.diff", 8},
                                         Example{"planner-key.diff", 3}),
                         [](const auto& example) { return example.param.file.substr(0, example.param.file.find('-')); });

}  // namespace
}  // namespace gleaner
