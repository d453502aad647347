#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "lib/process/child.hpp"

/// The page for browsers has its own tests, in TypeScript.
namespace gleaner::tests {
namespace {

std::filesystem::path page_folder() {
  const char* root = std::getenv("GLEANER_SOURCE_DIR");
  return std::filesystem::path{root != nullptr ? root : "."} / "web";
}

/// Runs node in the page's folder, and expects success.
void expect_success(std::vector<std::string> words, std::chrono::minutes limit) {
  if (!std::filesystem::exists(page_folder() / "node_modules" / ".locked")) GTEST_SKIP() << "the packages of the page are not there";
  words.insert(words.begin(), "node");
  process::Command command{.arguments = std::move(words)};
  command.directory = page_folder();
  const auto ran = process::capture(std::move(command), limit);
  ASSERT_TRUE(ran) << ran.error();
  EXPECT_TRUE(ran->end.succeeded()) << ran->output;
}

TEST(Page, PassesItsOwnTests) { expect_success({"tests/run.mjs", "bundle", "format", "palette", "views"}, std::chrono::minutes{5}); }

TEST(Page, HasTheTypesThatItStates) { expect_success({"node_modules/typescript/bin/tsc", "--noEmit"}, std::chrono::minutes{5}); }

/// Only with GLEANER_TEST_LONG: they need a chromium and a Firefox, without which they are skipped, and a processor for themselves.
TEST(Page, PassesItsTestsInBrowsers) {
  if (std::getenv("GLEANER_TEST_LONG") == nullptr) GTEST_SKIP() << "one of the long tests";
  expect_success({"tests/run.mjs"}, std::chrono::minutes{30});  // all of them
}

}  // namespace
}  // namespace gleaner::tests
