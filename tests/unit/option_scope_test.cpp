#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>

#include "lib/process/options.hpp"

// A key that decides what is planned is of the scope `plan`: GET /v1/scenario reports it, and --what-if simulates with it. A key that the
// planner reads and whose scope is `host` would be the default there, in silence.
namespace gleaner::process {
namespace {

namespace fs = std::filesystem;

/// The options of the configuration that only production needs, though code that a simulation shares reads them.
const std::map<std::string, std::string>& of_production() {
  static const std::map<std::string, std::string> table{
      {"status_max_age", "a simulated status is never old"},
      {"availability", "simulated nodes have no load; GET /v1/scenario counts what load makes unavailable as held"},
      {"brake_time", "gridsim brakes no campaign that cannot be planned"},
      {"brake_time_max", "gridsim brakes no campaign that cannot be planned"},
  };
  return table;
}

std::string content(const fs::path& file) {
  std::ostringstream text;
  text << std::ifstream{file}.rdbuf();
  return text.str();
}

/// The keys that the sources of these folders read of a configuration.
std::set<std::string> keys_read_in(const std::vector<std::string>& folders) {
  const char* root = std::getenv("GLEANER_SOURCE_DIR");
  const std::regex read{R"(\bconfig_?\.([a-z_]+)\b)"};
  std::set<std::string> keys;
  for (const auto& folder : folders) {
    for (const auto& entry : fs::recursive_directory_iterator{fs::path{root != nullptr ? root : "."} / folder}) {
      if (entry.path().extension() != ".cpp" && entry.path().extension() != ".hpp") continue;
      const auto text = content(entry.path());
      for (std::sregex_iterator found{text.begin(), text.end(), read}, none; found != none; ++found) keys.insert((*found)[1]);
    }
  }
  return keys;
}

TEST(OptionScope, OfAKeyThatThePlannerOrTheSimulationReads_IsPlan) {
  int looked_at = 0;
  for (const auto& key : keys_read_in({"metascheduler", "sim/gridsim/engine"})) {
    const auto* option = find_option(key);
    if (option == nullptr || of_production().contains(key)) continue;
    ++looked_at;
    EXPECT_TRUE(option->is_simulated()) << key;
  }
  EXPECT_GE(looked_at, 20);
}

TEST(OptionScope, OfAPlannersKey_IsPlanner_AndItsDefaultThePlanners) {
  const grid::PlannerConfig planner;
  Config config = default_config();
  static_cast<grid::PlannerConfig&>(config) = planner;
  const auto read = keys_read_in({"metascheduler/planner"});
  int looked_at = 0;
  for (const auto& option : options()) {
    EXPECT_EQ(option.value.write(config), option.value.write(default_config())) << option.key;
    if (!read.contains(std::string{option.key})) continue;
    ++looked_at;
    EXPECT_EQ(option.scope, Option::Scope::planner) << option.key;
  }
  EXPECT_EQ(looked_at, 16);
}

TEST(OptionScope, IsPlanForNoKeyThatNeitherReads) {
  auto read = keys_read_in({"metascheduler", "sim/gridsim/engine", "predictor"});
  for (const auto& option : options()) {
    if (!option.is_simulated()) continue;
    EXPECT_TRUE(read.contains(std::string{option.key})) << option.key;
  }
}

}  // namespace
}  // namespace gleaner::process
