#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <regex>
#include <set>
#include <string>

#include "lib/process/failpoint.hpp"
#include "lib/process/options.hpp"

namespace gleaner::process {
namespace {

namespace fs = std::filesystem;

std::map<fs::path, std::string> sources_of(const std::vector<std::string>& folders) {
  const char* root = std::getenv("GLEANER_SOURCE_DIR");
  if (root == nullptr) throw std::runtime_error{"GLEANER_SOURCE_DIR is not set: run this by ctest"};
  std::map<fs::path, std::string> sources;
  for (const auto& folder : folders) {
    const auto top = fs::path{root} / folder;
    if (!fs::exists(top)) continue;
    for (const auto& entry : fs::recursive_directory_iterator{top}) {
      if (entry.path().extension() != ".cpp" && entry.path().extension() != ".hpp") continue;
      std::ifstream file{entry.path()};
      sources.emplace(entry.path(), std::string{std::istreambuf_iterator<char>{file}, {}});
    }
  }
  return sources;
}

const std::vector<std::string> kPrograms{"almighty", "updator", "predictor", "metascheduler", "runner", "nikita", "api", "clients", "sim"};

TEST(Failpoints, AllOfTheTable_AreInTheSources) {
  std::set<std::string> found;
  auto folders = kPrograms;
  folders.emplace_back("lib");
  const std::regex passage{R"(failpoint\("([a-z_.]+)\"\))"};
  for (const auto& [path, text] : sources_of(folders)) {
    for (std::sregex_iterator match{text.begin(), text.end(), passage}, end; match != end; ++match) found.insert((*match)[1]);
  }
  EXPECT_EQ(found, std::set<std::string>(kFailpoints.begin(), kFailpoints.end()));
}

/// An option that is read and changes nothing misleads whoever sets it.
TEST(Options, EachIsDeclaredByAProgram_AndItsValueIsUsed) {
  auto programs = sources_of(kPrograms);
  programs.merge(sources_of({"lib/fleet"}));
  const std::set<std::string_view> of_every_program{"log_level", "log_file"};
  const auto goes_with_database = [](std::string_view key) { return key.starts_with("database_"); };
  for (const auto& option : options()) {
    if (of_every_program.contains(option.key)) continue;
    const auto declared = '"' + std::string{option.key} + '"';
    const std::regex used{R"(config(\(\))?_?\.)" + std::string{option.key} + R"(\b)"};
    const auto any = [&](auto&& holds) { return std::ranges::any_of(programs, [&](const auto& source) { return holds(source.second); }); };
    EXPECT_TRUE(goes_with_database(option.key) || any([&](const std::string& text) { return text.find(declared) != std::string::npos; })) << "no program declares " << option.key;
    EXPECT_TRUE(any([&](const std::string& text) { return std::regex_search(text, used); })) << "nothing uses " << option.key;
  }
}

}  // namespace
}  // namespace gleaner::process
