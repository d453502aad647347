#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <thread>

#include "tests/chaos/tcp_gate.hpp"
#include "tests/real_oar3.hpp"
#include "tests/seed.hpp"
#include "tests/system/grid_under_test.hpp"
#include "tests/system/http_call.hpp"

/// Exactly once on the real OAR 3 that GLEANER_TEST_OAR3 names, beside a minioar as OAR 2.
namespace gleaner::tests {
namespace {

using ::testing::HasSubstr;

class RealOar3Cluster : public ::testing::Test {
 protected:
  void SetUp() override {
    real = RealOar3::named();
    if (!real) GTEST_SKIP() << "GLEANER_TEST_OAR3 names no cluster: nothing is tested on a real OAR 3 here";
    grid = std::make_unique<GridUnderTest>(GridUnderTest::Wish{
        .backend = GridUnderTest::Backend::real_oar3,
        .clusters = {{.name = "alpha"}},
        .configuration = {{"cycle_period", "3s"}, {"void_delay", "10s"}, {"submit_timeout", "30s"}, {"request_timeout", "30s"}}});
  }
  /// Some of its tasks, carried out there.
  [[nodiscard]] bool some_ended(int least) {
    return grid->becomes("SELECT count(*) >= " + std::to_string(least) +
                             " FROM jobs j JOIN clusters c ON c.id = j.cluster_id WHERE c.name = 'oar3' AND j.state = 'terminated'",
                         "t");
  }
  /// A run takes one of the two, by its seed, as each keeps a core busy for minutes: OAR 3 starts a Python program for each of its steps.
  [[nodiscard]] static bool is_chosen(std::uint64_t place) { return long_runs() || seed_of_run() % 2 == place; }
  std::optional<RealOar3> real;
  std::unique_ptr<GridUnderTest> grid;
};

TEST_F(RealOar3Cluster, ACampaignThereAlone_WhoseAnswersAreLostAndWhoseApiIsKilled_RunsEachTaskOnce) {
  if (!is_chosen(0)) GTEST_SKIP() << "another seed, or --long";
  const std::int64_t tasks = long_runs() ? 12 : 8;
  TcpGate gate{grid->clusters().back().url};
  gate.lose(TcpGate::Instead::end_of_file, 1);
  grid->move_cluster("oar3", gate.url());
  const auto campaign = grid->submit({.tasks = tasks, .exec_file = grid->oracle().task(), .clusters = {"oar3"}});
  grid->almighty().start();
  ASSERT_TRUE(some_ended(2));
  real->kill_api();
  ASSERT_TRUE(grid->terminates(campaign));
  EXPECT_TRUE(grid->is_exactly_done(campaign, tasks));
  EXPECT_EQ(gate.lost(), 1);
  EXPECT_TRUE(grid->is_consistent());
}

TEST_F(RealOar3Cluster, ACampaignThereAndOnOar2_WhileItsSessionBreaks_RunsEachTaskOnce_AndTheOutageIsOfThatClusterAlone) {
  if (!is_chosen(1)) GTEST_SKIP() << "another seed, or --long";
  const std::int64_t tasks = long_runs() ? 24 : 14;
  const auto campaign = grid->submit({.tasks = tasks, .exec_file = grid->oracle().task("sleep 2"), .clusters = {"alpha", "oar3"}});
  grid->almighty().start();
  ASSERT_TRUE(some_ended(1));
  // A state that its database does not have breaks its only session.
  EXPECT_EQ(call({.method = "GET", .url = real->url() + "/jobs?states=Frob", .body = {}, .headers = {}}).status, 500);
  ASSERT_TRUE(grid->becomes("SELECT reachable FROM clusters WHERE name = 'oar3'", "f"));
  EXPECT_THAT(grid->value("SELECT message FROM events WHERE code = 'CLUSTER_UNREACHABLE'"), HasSubstr("until the API is restarted"));
  EXPECT_EQ(grid->value("SELECT reachable FROM clusters WHERE name = 'alpha'"), "t");
  real->kill_api();
  ASSERT_TRUE(grid->terminates(campaign));
  EXPECT_TRUE(grid->is_exactly_done(campaign, tasks));
  EXPECT_TRUE(grid->is_consistent());
}

}  // namespace
}  // namespace gleaner::tests
