// tests/unit/documents.tsv has what the documents ask for, row by row, with the tests that show it, and what is missing.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "tests/source_tree.hpp"
#include "tests/unit/names_of_tests.hpp"

namespace gleaner::tests {
namespace {

struct Asked {
  std::string document;
  std::string what;
  std::vector<std::string> tests;
  std::string missing;
};

std::vector<Asked> asked() {
  std::ifstream file{source_tree() / "tests/unit/documents.tsv"};
  EXPECT_TRUE(file);
  std::vector<Asked> all;
  std::string line;
  std::getline(file, line);
  while (std::getline(file, line)) {
    std::istringstream cells{line};
    auto& row = all.emplace_back();
    std::string names;
    std::getline(cells, row.document, '\t');
    std::getline(cells, row.what, '\t');
    std::getline(cells, names, '\t');
    std::getline(cells, row.missing, '\t');
    std::istringstream words{names};
    for (std::string name; words >> name;) row.tests.push_back(name);
  }
  return all;
}

TEST(Documents, EachThingThatTheyAskFor_HasTestsThatShowIt_OrWhatIsMissing) {
  const std::set<std::string> documents{"000", "001", "002", "003", "004", "specification"};
  const auto tests = names_of_tests();
  const auto rows = asked();
  EXPECT_EQ(rows.size(), 160U);
  for (const auto& row : rows) {
    EXPECT_TRUE(documents.contains(row.document)) << row.document;
    EXPECT_FALSE(row.tests.empty() && row.missing.empty()) << row.what;
    for (const auto& test : row.tests) EXPECT_TRUE(tests.contains(test)) << test << ", which is to show: " << row.what;
  }
}

/// A row may only become whole.
TEST(Documents, WhatIsMissingOfThem_BecomesLess) {
  const auto rows = asked();
  EXPECT_LE(std::ranges::count_if(rows, [](const auto& row) { return !row.missing.empty(); }), 3);
  EXPECT_LE(std::ranges::count_if(rows, [](const auto& row) { return row.tests.empty(); }), 0);
}

}  // namespace
}  // namespace gleaner::tests
