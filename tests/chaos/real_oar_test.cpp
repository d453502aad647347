#include <gtest/gtest.h>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <thread>

#include "tests/chaos/killer.hpp"
#include "tests/chaos/tcp_gate.hpp"

/// Exactly once, on real OAR clusters: those of the testbed that GLEANER_TEST_OAR names.
namespace gleaner::tests {
namespace {

/// Real OAR starts some three jobs a second: the long run has the numbers of the specification.
std::int64_t tasks() { return long_runs() ? 400 : 24; }

class RealOar : public ::testing::Test {
 protected:
  static GridUnderTest::Wish wish() {
    return {.backend = GridUnderTest::Backend::real_oar,
            .clusters = {},
            .configuration = {{"cycle_period", "1s"},
                              {"void_delay", "10s"},
                              {"submit_timeout", "10s"},
                              {"request_timeout", "10s"},
                              {"lease_duration", "4s"}}};
  }
  void SetUp() override {
    if (real_clusters().empty()) GTEST_SKIP() << "GLEANER_TEST_OAR names no testbed: nothing is tested on real OAR here";
    grid = std::make_unique<GridUnderTest>(wish());
  }
  [[nodiscard]] std::string ends(const std::string& end) const { return fmt::format("SELECT count(*) FROM jobs WHERE ending = '{}'", end); }
  void is_done(grid::CampaignId campaign, std::int64_t total) {
    ASSERT_TRUE(grid->terminates(campaign));
    EXPECT_TRUE(grid->is_exactly_done(campaign, total));
  }
  std::unique_ptr<GridUnderTest> grid;
};

TEST_F(RealOar, ACampaignFromGridsubToItsEnd_RunsEachTaskExactlyOnce) {
  grid->start_api();
  grid->almighty().start();
  const auto campaign = grid->gridsub(GridUnderTest::jdl_of({.tasks = tasks(), .exec_file = grid->oracle().task()}));
  EXPECT_TRUE(grid->run("gridwait", {std::to_string(campaign.value())}).end.succeeded());
  is_done(campaign, tasks());
}

TEST_F(RealOar, TwentyJobsPreemptedByLocalOnes_RunAgain_EachTaskExactlyOnce) {
  const auto total = std::max<std::int64_t>(tasks(), 36);
  grid->almighty().start();
  const auto campaign = grid->submit({.tasks = total, .exec_file = grid->oracle().gated_task()});
  ASSERT_TRUE(grid->becomes("SELECT running >= 32 FROM campaigns", "t"));
  for (const auto& cluster : grid->clusters()) submit_local(cluster, {.cores = 10, .command = "sleep 3", .user = "griduser2"});
  ASSERT_TRUE(grid->becomes(fmt::format("SELECT ({}) >= 20", ends("preempted")), "t"));
  grid->oracle().open_gate();
  is_done(campaign, total);
  EXPECT_EQ(grid->value("SELECT sum(charged) FROM tasks"), "0");
}

constexpr auto kDeathsOfTheRunner =
    "SELECT count(*) FROM cycles, jsonb_array_elements(modules) m WHERE m->>'module' = 'runner' AND m->>'result' = 'failed'";

TEST_F(RealOar, TheRunnerKilledAtEachOfItsFailpoints_EachTaskExactlyOnce) {
  constexpr std::array kNames{"runner.before_post", "runner.after_post", "runner.after_accept"};
  const auto each = tasks() / static_cast<std::int64_t>(kNames.size()) + 1;
  std::vector<grid::CampaignId> campaigns;
  std::int64_t seen = 0;
  for (const auto* name : kNames) {
    campaigns.push_back(grid->submit({.tasks = each, .exec_file = grid->oracle().task("sleep 1")}));
    grid->almighty().start({{"GLEANER_FAILPOINT", name}});
    ASSERT_TRUE(grid->becomes(fmt::format("SELECT ({}) > {}", kDeathsOfTheRunner, seen), "t")) << name;
    grid->almighty().kill();
    seen = grid->number(kDeathsOfTheRunner);
  }
  grid->almighty().start();
  for (const auto campaign : campaigns) is_done(campaign, each);
}

TEST_F(RealOar, AnyProcessKilledAtAnyMoment_EachTaskExactlyOnce) {
  Dice dice{test_seed()};
  Killer killer{*grid, dice};
  grid->start_api();
  grid->almighty().start();
  const auto campaign = grid->submit({.tasks = tasks(), .exec_file = grid->oracle().task("sleep 1")});
  const auto state = fmt::format("SELECT state FROM campaigns WHERE id = {}", campaign.value());
  for (int strike = 0; strike < (long_runs() ? 60 : 8) && grid->value(state) != "terminated"; ++strike) {
    std::this_thread::sleep_for(std::chrono::milliseconds{dice.roll(500, 3000)});  // the random moment itself
    killer.strike();
  }
  is_done(campaign, tasks());
}

TEST_F(RealOar, ParallelJobs_FillTheClusters_AndNoMoreWaitThanTheFloodAllows) {
  grid->almighty().start();
  const auto campaign = grid->submit({.tasks = 16, .exec_file = grid->oracle().task("sleep 5"), .resources = "/nodes=1/core=4"});
  is_done(campaign, 16);
  EXPECT_EQ(grid->value("SELECT min(most) FROM (SELECT max(our_running) AS most FROM gridstatus GROUP BY cluster_id) m"), "16");
  // Jobs that wait beside free resources are about to start; those that wait beyond them are the flood.
  EXPECT_LE(
      grid->number("SELECT max(our_waiting - free) FROM gridstatus g WHERE time > (SELECT min(time) FROM gridstatus WHERE our_running = 16 "
                   "AND cluster_id = g.cluster_id)"),
      8);
}

TEST_F(RealOar, ACancelledCampaign_LeavesNothingOnTheClusters) {
  grid->almighty().start();
  const auto campaign = grid->submit({.tasks = 60, .exec_file = grid->oracle().gated_task()});
  ASSERT_TRUE(grid->becomes("SELECT running >= 16 FROM campaigns", "t"));
  grid->cancel(campaign);
  EXPECT_TRUE(grid->becomes("SELECT cancelled FROM campaigns", "60"));
  EXPECT_TRUE(grid->oracle().executions(campaign).empty());
  EXPECT_TRUE(grid->is_consistent());
}

class RealOarLosesTheAnswer : public RealOar, public ::testing::WithParamInterface<std::pair<const char*, TcpGate::Instead>> {};

/// Each way is tried on minioar (chaos.lost_answers); here, that which says nothing, and that which comes after all.
bool is_chosen(TcpGate::Instead instead) { return instead == TcpGate::Instead::end_of_file || instead == TcpGate::Instead::late; }

TEST_P(RealOarLosesTheAnswer, OfAnAcceptedSubmission_EachTaskExactlyOnce) {
  if (!long_runs() && !is_chosen(GetParam().second)) GTEST_SKIP() << "on real OAR with GLEANER_TEST_LONG";
  std::vector<std::unique_ptr<TcpGate>> gates;
  for (const auto& cluster : grid->clusters()) {
    gates.push_back(std::make_unique<TcpGate>(cluster.url));
    gates.back()->lose(GetParam().second, 1, std::chrono::seconds{15});
    grid->move_cluster(cluster.name, gates.back()->url());
  }
  const auto campaign = grid->submit({.tasks = tasks(), .exec_file = grid->oracle().task("sleep 1")});
  grid->almighty().start();
  is_done(campaign, tasks());
  for (const auto& gate : gates) EXPECT_EQ(gate->lost(), 1);
  EXPECT_EQ(grid->value("SELECT count(*) FROM launches WHERE state <> 'accepted'"), "0");
}

INSTANTIATE_TEST_SUITE_P(By, RealOarLosesTheAnswer,
                         ::testing::Values(std::pair{"end_of_file", TcpGate::Instead::end_of_file},
                                           std::pair{"reset", TcpGate::Instead::reset}, std::pair{"error_500", TcpGate::Instead::error_500},
                                           std::pair{"late", TcpGate::Instead::late}),
                         [](const auto& each) { return std::string{each.param.first}; });

}  // namespace
}  // namespace gleaner::tests
