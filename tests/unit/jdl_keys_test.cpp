// The table of keys that the manual page of campaign files shows, against the keys that are read.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <set>

#include "lib/jdl/described_keys.hpp"
#include "lib/jdl/parse.hpp"

namespace gleaner::jdl {
namespace {

using testing::HasSubstr;

/// The message for a campaign in which a key has a value that no key takes.
std::string said_of(std::string_view key) {
  Defaults strict;
  strict.doubts = Doubts::refused;
  const auto parsed = parse(fmt::format(R"({{"{}": {{"a": [{{}}]}}}})", key), strict);
  std::string said;
  if (parsed) return said;
  for (const auto& problem : parsed.error()) said += problem.message + "\n";
  return said;
}

TEST(JdlKeys, ThoseThatAreDescribed_AreRead) {
  ASSERT_THAT(said_of("keyword"), HasSubstr("there is no key"));
  for (const auto& key : described_keys()) EXPECT_THAT(said_of(key.name), testing::Not(HasSubstr("there is no key"))) << key.name;
}

TEST(JdlKeys, StandInTheTableOnce) {
  std::set<std::string_view> names;
  for (const auto& key : described_keys()) EXPECT_TRUE(names.insert(key.name).second) << key.name;
}

}  // namespace
}  // namespace gleaner::jdl
