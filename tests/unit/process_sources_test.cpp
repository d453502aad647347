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

const std::vector<std::string> kPrograms{"almighty", "updator", "predictor", "metascheduler", "runner",
                                         "nikita",   "herald",  "api",       "clients",       "sim"};

/// The texts of `group` where `expression` matches.
std::set<std::string> matches(const std::map<fs::path, std::string>& sources, const std::regex& expression, std::size_t group) {
  std::set<std::string> found;
  for (const auto& [path, text] : sources) {
    for (std::sregex_iterator match{text.begin(), text.end(), expression}, end; match != end; ++match) found.insert((*match)[group]);
  }
  return found;
}

TEST(Failpoints, AllOfTheTable_AreInTheSources) {
  auto folders = kPrograms;
  folders.emplace_back("lib");
  const auto found = matches(sources_of(folders), std::regex{R"(failpoint\("([a-z_.]+)\"\))"}, 1);
  EXPECT_EQ(found, std::set<std::string>(kFailpoints.begin(), kFailpoints.end()));
}

/// An option that is read and changes nothing misleads whoever sets it.
TEST(Options, EachIsDeclaredByAProgram_AndItsValueIsUsed) {
  auto programs = sources_of(kPrograms);
  programs.merge(sources_of({"lib/fleet"}));
  const std::set<std::string_view> of_every_program{"log_level", "log_file"};
  const auto goes_with_database = [](std::string_view key) { return key.starts_with("database_"); };
  const auto used = matches(programs, std::regex{R"(config(\(\))?_?\.(\w+))"}, 2);
  for (const auto& option : options()) {
    if (of_every_program.contains(option.key)) continue;
    const auto declared = '"' + std::string{option.key} + '"';
    const auto declares = [&](const auto& source) { return source.second.find(declared) != std::string::npos; };
    // The metascheduler declares all options of the planner (metascheduler/keys.cpp).
    const bool is_declared =
        option.scope == Option::Scope::planner || goes_with_database(option.key) || std::ranges::any_of(programs, declares);
    EXPECT_TRUE(is_declared) << "no program declares " << option.key;
    EXPECT_TRUE(used.contains(std::string{option.key})) << "nothing uses " << option.key;
  }
}

/// Else it has the default there, whatever the configuration says. The options of plans come from a list that programs share.
TEST(Options, ThatAProgramUses_IsDeclaredByThatProgram) {
  for (const auto* const program : {"almighty", "updator", "predictor", "runner", "nikita", "herald", "api"}) {
    const auto sources = sources_of({program});
    const auto used = matches(sources, std::regex{R"(config(\(\))?_?\.(\w+))"}, 2);
    for (const auto& option : options()) {
      if (option.scope != Option::Scope::host || option.key.starts_with("database_") || option.key.starts_with("log_")) continue;
      if (!used.contains(std::string{option.key})) continue;
      const auto declared = '"' + std::string{option.key} + '"';
      EXPECT_TRUE(std::ranges::any_of(sources, [&](const auto& source) { return source.second.find(declared) != std::string::npos; }))
          << program << " uses " << option.key;
    }
  }
}

}  // namespace
}  // namespace gleaner::process
