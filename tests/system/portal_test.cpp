#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "tests/system/grid_under_test.hpp"

/// A client that a generator of another language makes of api/openapi.json, as examples/portal.pl uses it.
namespace gleaner::tests {
namespace {

/// Debian 13's package of the client's library does not have the schema of OpenAPI itself, and asks the network for it.
bool needs_the_network() {
  const std::string has_schema{
      "use JSON::Validator::Store; use Mojo::Util 'md5_sum'; my $name = md5_sum('https://spec.openapis.org/oas/3.0/schema/2019-04-02');"
      "exit(grep({-r \"$_/$name\"} @{JSON::Validator::Store->new->cache_paths}) ? 0 : 1)"};
  const auto asked = process::capture({.arguments = {"/usr/bin/perl", "-e", has_schema}}, kHangGuard);
  return asked && !asked->end.succeeded();
}

TEST(Portal, WithAClientMadeOfTheDocument_SubmitsACampaign_WaitsForItsEnd_IsNotSentWhatItHas_AndReadsAnError) {
  if (needs_the_network()) GTEST_SKIP() << "JSON::Validator has no schema of OpenAPI here";
  GridUnderTest grid;
  grid.start_api();
  grid.almighty().start();
  auto address = "http+unix://" + (grid.folder() / "api.socket").string();
  for (auto slash = address.find('/', 12); slash != std::string::npos; slash = address.find('/', slash)) address.replace(slash, 1, "%2F");
  const auto script = std::string{std::getenv("GLEANER_SOURCE_DIR")} + "/examples/portal.pl";
  const auto shown = process::capture({.arguments = {"/usr/bin/perl", script, address}}, kHangGuard);
  ASSERT_TRUE(shown) << shown.error();
  EXPECT_TRUE(shown->end.succeeded()) << shown->output;
  EXPECT_THAT(shown->output, testing::MatchesRegex("campaign 1: 3 tasks, submitted 20[0-9T:-]+Z\n"
                                                   "campaign 1: terminated, 3 of 3 tasks done\n"
                                                   "task 0 \\(one\\): done on alpha, exit code 0\n"
                                                   "task 1 \\(two\\): done on alpha, exit code 0\n"
                                                   "task 2 \\(three\\): done on alpha, exit code 0\n"
                                                   "JDL of portal, and again: 304\n"
                                                   "no_such_campaign: there is no campaign '999999999'\n"));
  EXPECT_TRUE(grid.is_consistent());
}

}  // namespace
}  // namespace gleaner::tests
