#include "tests/unit/names_of_tests.hpp"

#include <filesystem>
#include <fstream>
#include <regex>

#include "tests/source_tree.hpp"

namespace gleaner::tests {

std::set<std::string> names_of_tests() {
  const std::regex head{R"(^(?:TEST|TEST_F|TEST_P|RC_GTEST_PROP|RC_GTEST_FIXTURE_PROP)\((\w+), *(\w+))"};
  std::set<std::string> all;
  for (const auto& entry : std::filesystem::recursive_directory_iterator{source_tree() / "tests"}) {
    if (entry.path().extension() != ".cpp") continue;
    std::ifstream file{entry.path()};
    std::smatch match;
    for (std::string line; std::getline(file, line);) {
      const bool may_be_one = line.starts_with("TEST") || line.starts_with("RC_");
      if (may_be_one && std::regex_search(line, match, head)) all.insert(match[1].str() + "." + match[2].str());
    }
  }
  return all;
}

}  // namespace gleaner::tests
