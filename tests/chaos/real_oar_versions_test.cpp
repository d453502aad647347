#include <gtest/gtest.h>

#include <fmt/format.h>
#include <rapidjson/document.h>

#include <algorithm>
#include <iostream>
#include <set>
#include <string>
#include <thread>

#include "tests/chaos/killer.hpp"
#include "tests/system/http_call.hpp"

/// One grid over clusters of different versions of OAR.
namespace gleaner::tests {
namespace {

std::string version_of(const TestCluster& cluster) {
  const auto answer = call({.url = cluster.url + "/version.json", .login = cluster.login, .password = cluster.password});
  rapidjson::Document json;
  json.Parse(answer.body.c_str());
  return json.IsObject() && json.HasMember("oar_version") ? json["oar_version"].GetString() : answer.body;
}

/// Processes of the grid die, and local jobs take resources back, while its tasks run on both.
TEST(OarOfTwoVersions, KillsAndPreemptions_EachTaskExactlyOnce_AndBothClustersWork) {
  constexpr std::int64_t kTasks = 120;
  if (clusters_of_two_debians().empty()) GTEST_SKIP() << "GLEANER_TEST_OAR and GLEANER_TEST_OAR26 do not name testbeds of two versions";
  GridUnderTest grid{{.backend = GridUnderTest::Backend::two_debians,
                      .clusters = {},
                      .configuration = {{"cycle_period", "1s"},
                                        {"void_delay", "10s"},
                                        {"submit_timeout", "10s"},
                                        {"request_timeout", "10s"},
                                        {"lease_duration", "4s"}}}};
  std::set<std::string> versions;
  for (const auto& cluster : grid.clusters()) {
    versions.insert(version_of(cluster));
    std::cout << cluster.name << ": OAR " << version_of(cluster) << '\n';
  }
  ASSERT_EQ(versions.size(), 2U);
  Dice dice{test_seed()};
  Killer killer{grid, dice};
  grid.start_api();
  grid.almighty().start();
  const auto campaign = grid.submit({.tasks = kTasks, .exec_file = grid.oracle().task("sleep 2")});
  const auto state = fmt::format("SELECT state FROM campaigns WHERE id = {}", campaign.value());
  for (int strike = 0; strike < 10 && grid.value(state) != "terminated"; ++strike) {
    std::this_thread::sleep_for(std::chrono::milliseconds{dice.roll(500, 3000)});  // the random moment itself
    killer.strike();
    const auto& cluster = grid.clusters().at(static_cast<std::size_t>(dice.roll(0, 1)));
    submit_local(cluster, {.cores = dice.roll(1, 8), .command = "sleep 2", .user = "griduser2"});
  }
  ASSERT_TRUE(grid.terminates(campaign, process::Duration{600'000}));
  EXPECT_TRUE(grid.is_exactly_done(campaign, kTasks));
  EXPECT_EQ(grid.value("SELECT count(DISTINCT cluster_id) FROM jobs WHERE ending = 'done'"), "2");
}

}  // namespace
}  // namespace gleaner::tests
