#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <string_view>
#include <thread>

#include "tests/system/grid_under_test.hpp"

/// Each policy that has an effect on clusters, seen there.
namespace gleaner::tests {
namespace {

using testing::HasSubstr;

class Policies : public ::testing::TestWithParam<GridUnderTest::Backend> {
 protected:
  void SetUp() override {
    if (is_real() && real_clusters().empty()) GTEST_SKIP() << "GLEANER_TEST_OAR names no testbed: nothing is tested on real OAR here";
    if (is_real() && !long_runs() && !depends_on_oar()) GTEST_SKIP() << "on minioar; on real OAR with GLEANER_TEST_LONG";
  }
  /// One of each effect that is OAR's doing: kills, walltimes, wide jobs, properties.
  [[nodiscard]] static bool depends_on_oar() {
    constexpr std::array<std::string_view, 5> kPrefixes{"LowestJobs", "PropertiesThat", "AReservation", "ATaskKilled",
                                                        "ReplicasOfACampaignOf"};
    const std::string_view name{::testing::UnitTest::GetInstance()->current_test_info()->name()};
    return std::ranges::any_of(kPrefixes, [&](std::string_view prefix) { return name.starts_with(prefix); });
  }
  void begin(Configuration configuration) {
    GridUnderTest::Wish wish;
    wish.backend = GetParam();
    if (is_real()) wish.clusters.clear();
    wish.configuration = std::move(configuration);
    grid = std::make_unique<GridUnderTest>(wish);
    // Every cluster has been seen before the first campaign is there.
    cycle();
    cores = static_cast<int>(grid->number("SELECT min(max_resources) FROM clusters"));
  }
  [[nodiscard]] static bool is_real() { return GetParam() == GridUnderTest::Backend::real_oar; }
  void cycle() {
    const auto ran = grid->run("almighty", {"--once"});
    ASSERT_TRUE(ran.end.succeeded()) << ran.output;
  }
  void gridctl(std::vector<std::string> arguments) {
    const auto ran = grid->run("gridctl", std::move(arguments));
    ASSERT_TRUE(ran.end.succeeded()) << ran.output;
  }
  /// The campaign is another user's, with the same account on the clusters.
  void belongs_to(grid::CampaignId campaign, const std::string& user) {
    grid->execute(fmt::format(
        "UPDATE campaigns SET user_name = '{0}' WHERE id = {1};"
        "INSERT INTO user_mappings SELECT '{0}', cluster_id, login FROM user_mappings WHERE user_name = 'alice' ON CONFLICT DO NOTHING",
        user, campaign.value()));
  }
  std::int64_t jobs(grid::CampaignId campaign, const std::string& more = "true") {
    return grid->number(fmt::format("SELECT count(*) FROM jobs j JOIN clusters k ON k.id = j.cluster_id WHERE j.campaign_id = {} AND {}",
                                    campaign.value(), more));
  }
  void is_done(grid::CampaignId campaign, std::int64_t tasks) {
    EXPECT_TRUE(grid->terminates(campaign));
    EXPECT_TRUE(grid->is_exactly_done(campaign, tasks));
  }
  /// The cluster's answer to GET /stress_factor from now on.
  void stress(const std::string& cluster, const std::string& value) {
    if (!is_real()) return grid->cluster(cluster).set_stress(value);
    const std::filesystem::path testbed{std::getenv("GLEANER_TEST_OAR")};
    process::Command fault{
        .arguments = {std::string{std::getenv("GLEANER_SOURCE_DIR")} + "/tests/oar-testbed/fault", cluster, "stress", value}};
    fault.environment.emplace_back("OAR_TESTBED_STATE", testbed.parent_path().string());
    const auto ran = process::capture(fault, kHangGuard);
    ASSERT_TRUE(ran && ran->end.succeeded()) << (ran ? ran->output : ran.error());
  }
  /// Lets the tasks go that wait at the gate, and the service do the rest.
  void finish() {
    grid->oracle().open_gate();
    grid->almighty().start();
  }

  std::unique_ptr<GridUnderTest> grid;
  int cores = 0;
};

TEST_P(Policies, Document001_APortionForNewUsers_StaysFreeForThem) {
  begin({});
  grid->execute("INSERT INTO first_campaigns VALUES ('alice', now() - interval '40 days')");
  for (const auto& cluster : grid->clusters())
    gridctl({"keep", "set", "new-on-" + cluster.name, "--cluster", cluster.name, "--resources", "2", "--new-users", "30d"});
  const auto of_all = grid->number("SELECT sum(max_resources) FROM clusters");
  const auto kept = 2 * std::ssize(grid->clusters());
  const auto old = grid->submit({.tasks = 2 * of_all, .exec_file = grid->oracle().gated_task()});
  const auto young = grid->submit({.tasks = 2 * of_all, .exec_file = grid->oracle().gated_task()});
  belongs_to(young, "newcomer");
  grid->execute("INSERT INTO first_campaigns VALUES ('newcomer', now())");
  cycle();
  EXPECT_EQ(jobs(old), of_all - kept);
  EXPECT_GE(jobs(young), kept);
  const auto listed = grid->run("gridctl", {"keep", "list", "--csv"});
  EXPECT_THAT(listed.output, HasSubstr(",new users (first campaign less than 30d ago),always,active"));
  finish();
  is_done(old, 2 * of_all);
  is_done(young, 2 * of_all);
}

/// The cycles that begin by themselves are too far apart to be of use.
TEST_P(Policies, Document004_AReservationThatEnds_BeginsACycleAtOnce) {
  begin({{"cycle_period", "30m"}, {"idle_period", "30m"}});
  const auto until = grid->value("SELECT to_char((now() + interval '25 s') AT TIME ZONE 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS\"Z\"')");
  for (const auto& cluster : grid->clusters())
    gridctl({"keep", "set", "class-on-" + cluster.name, "--cluster", cluster.name, "--resources", "100%", "--user", "teacher", "--until",
             until});
  const auto campaign = grid->submit({.tasks = 2, .exec_file = grid->oracle().task()});
  grid->almighty().start();
  ASSERT_TRUE(grid->becomes("SELECT count(*) FROM decisions WHERE reason = 'kept_for_others'", "2"));
  EXPECT_EQ(jobs(campaign), 0);
  EXPECT_TRUE(grid->becomes(fmt::format("SELECT count(*) FROM jobs WHERE campaign_id = {}", campaign.value()), "2"));
  EXPECT_EQ(grid->value(fmt::format("SELECT bool_and(planned_at BETWEEN '{0}'::timestamptz AND '{0}'::timestamptz + interval '10 s') "
                                    "FROM launches WHERE campaign_id = {1}",
                                    until, campaign.value())),
            "t");
}

TEST_P(Policies, Affinity_GivesAClusterToTheUserWithAffinity_AndWhatIsLeftToOthers) {
  begin({{"campaign_order", "affinity"}});
  const auto first = grid->submit({.tasks = 4 * cores, .exec_file = grid->oracle().gated_task()});
  const auto of_bob = grid->submit({.tasks = 2 * cores, .exec_file = grid->oracle().gated_task()});
  belongs_to(of_bob, "bob");
  gridctl({"affinity", "add", "bob", "alpha"});
  cycle();
  EXPECT_EQ(jobs(first, "k.name = 'alpha'"), 0);
  EXPECT_GE(jobs(of_bob, "k.name = 'alpha'"), cores);
  EXPECT_GE(jobs(first, "k.name = 'beta'"), cores);
  finish();
  is_done(first, 4 * cores);
  is_done(of_bob, 2 * cores);
}

TEST_P(Policies, APriority_GoesBeforeAnEarlierCampaign) {
  begin({{"campaign_order", "priority"}});
  const auto earlier = grid->gridsub(TestCampaign{.tasks = 4 * cores, .exec_file = grid->oracle().gated_task()});
  const auto higher =
      grid->gridsub(TestCampaign{.tasks = 4 * cores, .exec_file = grid->oracle().gated_task(), .more_keys = R"("campaign_priority":2)"});
  cycle();
  EXPECT_EQ(jobs(earlier), 0);
  EXPECT_GE(jobs(higher), 2 * cores);
  finish();
  is_done(earlier, 4 * cores);
  is_done(higher, 4 * cores);
}

TEST_P(Policies, LowestJobs_AreKilledForNormalOnes_NoMoreThanNeeded_AndRunAgain) {
  begin({{"flood", "0"}});
  const auto lowest =
      grid->gridsub(TestCampaign{.tasks = 2 * cores, .exec_file = grid->oracle().gated_task(), .more_keys = R"("campaign_priority":7)"});
  grid->almighty().start();
  ASSERT_TRUE(grid->becomes(fmt::format("SELECT running FROM campaigns WHERE id = {}", lowest.value()), std::to_string(2 * cores)));
  const auto normal = grid->submit({.tasks = 3, .exec_file = grid->oracle().task()});
  EXPECT_TRUE(grid->terminates(normal)) << "while the lowest jobs wait at the gate";
  const auto killed = jobs(lowest, "j.state = 'killed'");
  EXPECT_GE(killed, 1);
  EXPECT_LE(killed, 6) << "three are needed; one cluster may be asked while the other is, too; the others of their arrays go on";
  grid->oracle().open_gate();
  is_done(lowest, 2 * cores);
  is_done(normal, 3);
}

TEST_P(Policies, FairShare_SplitsTheGridBetweenTwoUsersOfEqualShares) {
  begin({{"campaign_order", "fairshare"}});
  gridctl({"share", "set", "user", "alice", "1"});
  gridctl({"share", "set", "user", "bob", "1"});
  const auto first = grid->submit({.tasks = 4 * cores, .exec_file = grid->oracle().gated_task()});
  const auto second = grid->submit({.tasks = 4 * cores, .exec_file = grid->oracle().gated_task()});
  belongs_to(second, "bob");
  cycle();
  EXPECT_NEAR(static_cast<double>(jobs(first)), static_cast<double>(jobs(second)), 2.0);
  EXPECT_THAT(grid->run("gridctl", {"share", "list"}).output, testing::HasSubstr("50.0 %"));
  finish();
  is_done(first, 4 * cores);
  is_done(second, 4 * cores);
  EXPECT_EQ(grid->number("SELECT count(DISTINCT user_name) FROM usage"), 2);
}

TEST_P(Policies, Tickets_GiveEverybodySome) {
  begin({{"campaign_order", "tickets"}});
  const auto first = grid->submit({.tasks = 4 * cores, .exec_file = grid->oracle().gated_task()});
  const auto second = grid->submit({.tasks = 4 * cores, .exec_file = grid->oracle().gated_task()});
  belongs_to(second, "bob");
  cycle();
  EXPECT_GT(jobs(first), 0);
  EXPECT_GT(jobs(second), 0);
  finish();
  is_done(first, 4 * cores);
  is_done(second, 4 * cores);
}

TEST_P(Policies, PropertiesThatFewResourcesHave_TakeNoMoreOfTheCluster) {
  begin({{"flood", "0"}});
  EXPECT_EQ(grid->value("SELECT node_sizes FROM clusters WHERE name = 'alpha'"), fmt::format("{}x2", cores / 2));
  const auto picky = grid->gridsub(TestCampaign{
      .tasks = 10 * cores, .exec_file = grid->oracle().gated_task(), .clusters = {"alpha"}, .more_keys = R"("properties":"core <= 4")"});
  const auto plain = grid->gridsub(TestCampaign{.tasks = 2 * cores, .exec_file = grid->oracle().gated_task(), .clusters = {"alpha"}});
  cycle();
  EXPECT_EQ(jobs(picky), 4);
  EXPECT_EQ(jobs(plain), cores - 4);
  EXPECT_EQ(grid->value(fmt::format("SELECT matching_resources FROM campaign_clusters WHERE campaign_id = {}", picky.value())), "4");
  grid->cancel(picky);
  finish();
  is_done(plain, 2 * cores);
}

TEST_P(Policies, Packed_FillsTheClusterInUse_BeforeItOpensAnother) {
  begin({{"placement", "packed"}});
  const auto on_beta = grid->submit({.tasks = 2, .exec_file = grid->oracle().gated_task(), .clusters = {"beta"}});
  cycle();
  const auto small = grid->submit({.tasks = 3, .exec_file = grid->oracle().gated_task()});
  cycle();
  EXPECT_EQ(jobs(small, "k.name = 'beta'"), 3);
  finish();
  is_done(on_beta, 2);
  is_done(small, 3);
}

TEST_P(Policies, Document000_NodesThatSleep_AreLeftAsleep_UntilThereIsWorkForThem) {
  if (is_real()) GTEST_SKIP() << "the testbed's OAR puts no node to sleep";
  GridUnderTest::Wish wish;
  wish.clusters = {{.name = "alpha", .nodes = 3, .cores = 2, .options = {"--wake-delay-ms", "300"}}};
  wish.configuration = {{"flood", "0"}};
  grid = std::make_unique<GridUnderTest>(wish);
  for (const int node : {2, 3}) grid->cluster("alpha").set_node(node, "Absent");
  gridctl({"cluster", "edit", "alpha", "--wake", "60"});
  const auto small = grid->submit({.tasks = 3, .exec_file = grid->oracle().gated_task(), .clusters = {"alpha"}});
  cycle();
  cycle();
  EXPECT_EQ(jobs(small), 2) << "the third task waits for them";
  EXPECT_EQ(grid->value("SELECT string_agg(DISTINCT leaves, ',') FROM launches"), "2x2");
  EXPECT_EQ(grid->value("SELECT asleep_sizes FROM named_nodes"), "2x2");
  const auto other = grid->submit({.tasks = 1, .exec_file = grid->oracle().gated_task(), .clusters = {"alpha"}});
  cycle();
  EXPECT_EQ(grid->value(fmt::format("SELECT reason FROM decisions WHERE campaign_id = {}", other.value())), "nodes_asleep");
  EXPECT_EQ(grid->value(fmt::format("SELECT figures->>'asleep_nodes' FROM decisions WHERE campaign_id = {}", other.value())), "2");
  // 2 cores · 60 minutes a node: while nothing shows how long tasks take, three of an hour are work for one.
  const auto big = grid->submit({.tasks = 8, .exec_file = grid->oracle().gated_task(), .clusters = {"alpha"}, .walltime = "1:0:0"});
  cycle();
  EXPECT_EQ(jobs(big) + jobs(small) + jobs(other), 4);
  EXPECT_EQ(grid->value("SELECT leaves FROM launches ORDER BY id DESC LIMIT 1"), "2x1");
  for (int turn = 0; turn < 50 && grid->number("SELECT count(*) FROM jobs WHERE state = 'running'") < 4; ++turn) {
    std::this_thread::sleep_for(std::chrono::milliseconds{100});
    cycle();
  }
  EXPECT_EQ(grid->value("SELECT count(*) FROM jobs WHERE state = 'running'"), "4") << "OAR woke it";
  finish();
  is_done(small, 3);
  is_done(other, 1);
  is_done(big, 8);
}

TEST_P(Policies, AReservation_LetsAWideJobStart_ThatAStreamOfNarrowOnesWouldStarve) {
  begin({{"campaign_order", "priority"}, {"flood", "0"}});
  const auto stream = grid->submit({.tasks = 10 * cores, .exec_file = grid->oracle().task("sleep $((1 + $1 % 3))"), .clusters = {"alpha"}});
  grid->almighty().start();
  // Not all: a real OAR starts three jobs a second, and some have ended before the last begins.
  ASSERT_TRUE(grid->becomes(fmt::format("SELECT running >= {} FROM campaigns WHERE id = {}", cores / 2, stream.value()), "t"));
  const auto wide = grid->gridsub(TestCampaign{.tasks = 1,
                                               .exec_file = grid->oracle().task(),
                                               .clusters = {"alpha"},
                                               .resources = fmt::format("/core={}", cores),
                                               .more_keys = R"("campaign_priority":1)"});
  EXPECT_TRUE(grid->becomes(fmt::format("SELECT done FROM campaigns WHERE id = {}", wide.value()), "1"));
  EXPECT_EQ(grid->value(fmt::format("SELECT state FROM campaigns WHERE id = {}", stream.value())), "in_treatment");
  is_done(wide, 1);
  grid->cancel(stream);
  EXPECT_TRUE(grid->becomes(fmt::format("SELECT launching + submitted + running FROM campaigns WHERE id = {}", stream.value()), "0"));
}

TEST_P(Policies, AReservationOfOar_IsSeenAhead_AndWhatIsFreeUntilThenIsUsedByShortJobsAlone) {
  begin({{"reservation_margin", "10s"}});
  const LocalJob course{.cores = cores,
                        .command = "sleep 60",
                        .user = is_real() ? "griduser2" : "bob",
                        .walltime = "0:30:0",
                        .begins_in = std::chrono::seconds{420}};
  const auto reserved = submit_local(grid->clusters().front(), course);
  const auto becomes_known = [&](int resources) {
    return await([&] {
      grid->execute("UPDATE clusters SET resources_at = NULL");
      cycle();
      return grid->value("SELECT coalesce(nullif(split_part(advance_reservations, 'x', 2), ''), '0') FROM clusters WHERE name = 'alpha'") ==
             std::to_string(resources);
    });
  };
  ASSERT_TRUE(becomes_known(cores));
  const auto too_long = grid->submit({.tasks = cores, .exec_file = grid->oracle().task(), .clusters = {"alpha"}});
  const auto brief = grid->submit({.tasks = cores, .exec_file = grid->oracle().task(), .clusters = {"alpha"}, .walltime = "0:1:0"});
  cycle();
  EXPECT_EQ(jobs(too_long), 0);
  EXPECT_EQ(jobs(brief), cores);
  EXPECT_EQ(grid->value(fmt::format("SELECT reason FROM decisions WHERE campaign_id = {}", too_long.value())), "reserved_in_oar");
  grid->almighty().start();
  is_done(brief, cores);
  EXPECT_EQ(jobs(too_long), 0);
  EXPECT_EQ(grid->value(fmt::format("SELECT max(ended_at) < to_timestamp(split_part(k.advance_reservations, '-', 1)::bigint) "
                                    "FROM jobs j JOIN clusters k ON k.id = j.cluster_id WHERE j.campaign_id = {} GROUP BY k.id",
                                    brief.value())),
            "t")
      << "before the reservation begins";
  EXPECT_EQ(grid->value("SELECT count(*) FROM jobs WHERE ending = 'preempted'"), "0");
  grid->almighty().stop();
  delete_local(grid->clusters().front(), course.user, reserved);
  ASSERT_TRUE(becomes_known(0));
  grid->almighty().start();
  is_done(too_long, cores);
}

TEST_P(Policies, Prediction_SendsAFewJobsFirst_AndASecondCampaignOfTheCommandNone) {
  begin({{"campaign_scheduler", "prediction"}});
  const auto first = grid->submit({.tasks = 4 * cores, .exec_file = grid->oracle().gated_task()});
  cycle();
  EXPECT_EQ(jobs(first, "k.name = 'alpha'"), 3);
  EXPECT_EQ(jobs(first, "k.name = 'beta'"), 3);
  cycle();
  EXPECT_EQ(jobs(first), 6);
  finish();
  is_done(first, 4 * cores);
  grid->almighty().stop();
  const auto second = grid->submit({.tasks = 2 * cores, .exec_file = grid->oracle().gated_task()});
  cycle();
  EXPECT_EQ(jobs(second), 2 * cores);
  finish();
  is_done(second, 2 * cores);
}

TEST_P(Policies, ALimit_HoldsAUsersJobs_AndANewOneCountsFromTheNextCycle) {
  begin({});
  gridctl({"limit", "set", "running_jobs", "5", "--user", "alice"});
  const auto campaign = grid->submit({.tasks = 2 * cores, .exec_file = grid->oracle().gated_task()});
  cycle();
  cycle();
  EXPECT_EQ(jobs(campaign), 5);
  EXPECT_EQ(
      grid->value("SELECT concat_ws(' ', figures ->> 'limit_kind', figures ->> 'limit_most', figures ->> 'limit_used') FROM decisions "
                  "WHERE figures ? 'limit' LIMIT 1"),
      "running_jobs 5.0 5.0");
  gridctl({"limit", "set", "running_jobs", "7", "--user", "alice"});
  cycle();
  EXPECT_EQ(jobs(campaign), 7);
  finish();
  is_done(campaign, 2 * cores);
}

TEST_P(Policies, Document003_Finalize_ReplicatesTheLastTasksElsewhere_AndTheFirstSuccessCounts) {
  begin({{"flood", "0"}});
  // The first copy of each task waits at the gate, the second one does not.
  const auto waits_on_alpha = fmt::format("[ \"$CIGRI_CLUSTER\" = beta ] || {}", grid->oracle().waits_at_gate());
  const auto campaign = grid->gridsub(TestCampaign{.tasks = 3,
                                                   .exec_file = grid->oracle().task(waits_on_alpha),
                                                   .more_keys = R"("scheduler":"finalize")",
                                                   .of_cluster = {{"alpha", R"("priority":5)"}}});
  grid->almighty().start();
  EXPECT_TRUE(grid->terminates(campaign));
  EXPECT_EQ(grid->number("SELECT done FROM campaigns"), 3);
  EXPECT_EQ(jobs(campaign, "k.name = 'alpha'"), 3);
  EXPECT_EQ(jobs(campaign, "k.name = 'beta' AND j.ending = 'done'"), 3);
  EXPECT_TRUE(grid->becomes("SELECT count(*) FROM jobs WHERE ending IS NULL", "0")) << "the first copies are killed";
  EXPECT_EQ(jobs(campaign, "k.name = 'alpha' AND j.state = 'killed'"), 3);
}

/// Document 002, figure 3: a job that takes too long is started again before the next project, and the first end counts.
TEST_P(Policies, Document002_AnExpiredTask_IsStartedAgain_BeforeTheOthersAndTheNextCampaign_AndTheFirstEndCounts) {
  begin({{"flood", "0"}, {"cycle_period", "1s"}});
  // The first copy of task 0 waits at the gate, the second one does not.
  const auto waits_first = fmt::format("[ \"$1 $CIGRI_ATTEMPT\" != \"0 0\" ] || {}; sleep 0.5", grid->oracle().waits_at_gate());
  const auto tasks = 16 * std::int64_t{cores};
  const auto campaign =
      grid->gridsub({.tasks = tasks, .exec_file = grid->oracle().task(waits_first), .more_keys = R"("replicas":"allowed")"});
  const auto next = grid->submit({.tasks = 2, .exec_file = grid->oracle().task()});
  grid->almighty().start();
  EXPECT_TRUE(grid->terminates(campaign));
  EXPECT_TRUE(grid->terminates(next));
  EXPECT_EQ(grid->number("SELECT sum(done) FROM campaigns"), tasks + 2);
  EXPECT_EQ(jobs(campaign, "j.task = 0 AND j.attempt = 1 AND j.ending = 'done'"), 1);
  EXPECT_TRUE(grid->becomes("SELECT count(*) FROM jobs WHERE ending IS NULL", "0")) << "the first copy is killed";
  EXPECT_EQ(jobs(campaign, "j.task = 0 AND j.attempt = 0 AND j.state = 'killed'"), 1);
  const auto planned = [&](std::string_view which) {
    return fmt::format("(SELECT min(l.planned_at) FROM jobs j JOIN launches l ON l.id = j.launch_id WHERE {})", which);
  };
  const auto again = planned(fmt::format("j.campaign_id = {} AND j.task = 0 AND j.attempt = 1", campaign.value()));
  EXPECT_EQ(grid->value(fmt::format("SELECT {} < {}", again, planned(fmt::format("j.campaign_id = {}", next.value())))), "t");
  EXPECT_EQ(grid->value(fmt::format("SELECT {} < {}", again,
                                    planned(fmt::format("j.campaign_id = {} AND j.task = {}", campaign.value(), tasks - 1)))),
            "t");
}

/// OAR, not the grid, keeps a job away from a node.
TEST_P(Policies, ReplicasOfACampaignOfOneCluster_RunOnOtherNodes_AndTheFirstSuccessCounts) {
  begin({{"flood", "0"}});
  // Each copy notes its node. The first copies wait at the gate, the second ones do not.
  const auto folder = grid->oracle().folder().string();
  const auto waits_first = fmt::format("echo \"$CIGRI_ATTEMPT $(head -n 1 $OAR_NODEFILE)\" >> {}/nodes; [ \"$CIGRI_ATTEMPT\" != 0 ] || {}",
                                       folder, grid->oracle().waits_at_gate());
  const auto campaign = grid->gridsub(
      {.tasks = 1, .exec_file = grid->oracle().task(waits_first), .clusters = {"alpha"}, .more_keys = R"("replicas":"allowed")"});
  grid->almighty().start();
  EXPECT_TRUE(grid->terminates(campaign));
  EXPECT_EQ(grid->number("SELECT done FROM campaigns"), 1);
  EXPECT_EQ(jobs(campaign), 2);
  EXPECT_TRUE(grid->becomes("SELECT count(*) FROM jobs WHERE ending IS NULL", "0")) << "the first copy is killed";
  EXPECT_EQ(jobs(campaign, "k.name = 'alpha' AND j.attempt = 0 AND j.state = 'killed'"), 1);
  EXPECT_EQ(jobs(campaign, "k.name = 'alpha' AND j.attempt = 1 AND j.ending = 'done'"), 1);
  std::ifstream file{grid->oracle().folder() / "nodes"};
  std::map<std::string, std::string> nodes;
  for (std::string attempt, node; file >> attempt >> node;) nodes[attempt] = node;
  EXPECT_EQ(nodes.size(), 2U);
  EXPECT_NE(nodes["0"], nodes["1"]);
}

TEST_P(Policies, ASink_IsBrakedBeforeItSwallowsMoreThanAFewTasks) {
  begin({});
  const auto campaign =
      grid->gridsub(TestCampaign{.tasks = 10 * cores, .exec_file = grid->oracle().task(), .more_keys = R"("min_duration":"0:1:0")"});
  grid->almighty().start();
  ASSERT_TRUE(grid->becomes("SELECT count(*) FROM events WHERE code = 'SINK'", "2"));
  ASSERT_TRUE(grid->becomes("SELECT count(*) FROM brakes", "2"));
  EXPECT_LE(jobs(campaign), 12);
  grid->cancel(campaign);
}

/// On beta each task ends at once, before any has ended on alpha.
TEST_P(Policies, ASinkThatEndsEachTaskAtOnce_GetsAFew_AndGivesAllOfThemBack) {
  begin({{"brake_time", "10m"}});
  const auto campaign = grid->gridsub(TestCampaign{.tasks = 2 * cores,
                                                   .exec_file = "bash -c '[ $CIGRI_CLUSTER = beta ] || sleep 21' task",
                                                   .may_end_at_once = false,
                                                   .of_cluster = {{"beta", R"("priority":9)"}}});
  grid->almighty().start();
  ASSERT_TRUE(grid->becomes("SELECT count(*) FROM events WHERE code = 'SINK'", "1"));
  EXPECT_TRUE(grid->terminates(campaign)) << "alpha does the rest";
  // A probe that was under way when the sink was found ends after it.
  const auto swallowed = jobs(campaign, "k.name = 'beta' AND j.ending = 'done'");
  EXPECT_GE(swallowed, 3);
  EXPECT_LE(swallowed, 6) << "three, and no more than one probe when alpha had shown how long they take";
  EXPECT_EQ(jobs(campaign, "k.name = 'beta' AND j.sink IS NOT NULL"), swallowed);
  const auto ran = grid->run("gridsub", {"--retry", std::to_string(campaign.value()), "--sink", "beta"});
  EXPECT_THAT(ran.output, HasSubstr(fmt::format("{} tasks of campaign", swallowed)));
  EXPECT_TRUE(grid->terminates(campaign));
  EXPECT_EQ(jobs(campaign, "k.name = 'alpha' AND j.ending = 'done'"), 2 * cores);
}

TEST_P(Policies, AClusterUnderStress_GetsFewerJobs_ThenMore_ThenAllAgain) {
  begin({{"stress_pause", "1s"}, {"flood", "0"}});
  const auto limit = [](const std::string& what) {
    return fmt::format("SELECT {} FROM cluster_stress x JOIN clusters k ON k.id = x.cluster_id WHERE k.name = 'alpha'", what);
  };
  stress("alpha", "0.9");
  const auto campaign = grid->submit({.tasks = 15 * cores, .exec_file = grid->oracle().task("sleep 1"), .clusters = {"alpha"}});
  grid->almighty().start();
  ASSERT_TRUE(grid->becomes(limit("job_limit = 1"), "t"));
  ASSERT_TRUE(grid->becomes("SELECT launching + submitted + running <= 1 FROM campaigns", "t"));
  const auto done = grid->number("SELECT done FROM campaigns");
  EXPECT_TRUE(grid->becomes(fmt::format("SELECT done > {} FROM campaigns", done), "t")) << "a little work goes on";
  EXPECT_TRUE(grid->becomes(
      "SELECT figures ->> 'stress_signals' LIKE '%its stress factor is 0.9, and 0.8 is too much%' FROM decisions ORDER BY cluster_id DESC LIMIT 1",
      "t"));
  EXPECT_EQ(grid->value("SELECT state || ' ' || (message LIKE 'its stress factor is 0.9%') FROM events WHERE code = 'UNDER_STRESS'"),
            "open true");
  EXPECT_EQ(
      grid->number(
          "SELECT count(*) FROM cluster_stress x JOIN clusters k ON k.id = x.cluster_id WHERE k.name = 'beta' AND job_limit IS NOT NULL"),
      0);

  stress("alpha", "0.1");
  EXPECT_TRUE(grid->becomes(limit("job_limit > 1"), "t"));
  EXPECT_TRUE(grid->becomes(limit("job_limit IS NULL"), "t"));
  EXPECT_TRUE(grid->becomes("SELECT state FROM events WHERE code = 'UNDER_STRESS'", "closed"));
  EXPECT_TRUE(grid->becomes(fmt::format("SELECT running >= {} FROM campaigns", cores / 2), "t"));
  is_done(campaign, 15 * cores);
}

TEST_P(Policies, ATaskKilledByItsWalltime_IsTriedAgainWithABiggerOne_UpToTheLimit) {
  begin({{"walltime_retry_factor", "3"}});
  grid->start_api();
  // The first needs more than its walltime the first time only, the second never, the third always.
  const auto* const task =
      R"j({"exec_file":"sh -c 'case $2 in once) test $CIGRI_ATTEMPT -gt 0 || sleep 600;; always) sleep 600;; esac' job"})j";
  const auto campaign = grid->gridsub(fmt::format(
      R"j({{"name":"grows","params":["1 once","2 never","3 always"],"parameter_names":["task"],"walltime":"3*second","max_walltime":"0:0:20",)j"
      R"j("resources":"/core=(task/3)","clusters":{{"alpha":{0},"beta":{0}}}}})j",
      task));
  grid->almighty().start();
  ASSERT_TRUE(grid->terminates(campaign));
  EXPECT_EQ(grid->value("SELECT string_agg(state || ' ' || charged, ', ' ORDER BY number) FROM tasks"), "done 0, done 0, failed 1");
  EXPECT_EQ(
      grid->value(
          "SELECT string_agg(l.walltime_s::text, ' ' ORDER BY j.id) FROM jobs j JOIN launches l ON l.id = j.launch_id WHERE task = 2"),
      "3 9 20")
      << "three times as long each time, and then the limit";
  EXPECT_EQ(grid->value("SELECT count(*) FROM jobs WHERE task = 0"), "2");
  EXPECT_EQ(grid->value("SELECT count(*) FROM jobs WHERE ending = 'walltime'"), "4");
  EXPECT_THAT(grid->value("SELECT string_agg(message, ' ') FROM jobs"),
              HasSubstr("killed by its walltime of 0:00:03: it is tried again with 0:00:09 (max_walltime: 0:00:20)"));
  EXPECT_THAT(grid->value("SELECT string_agg(message, ' ') FROM events WHERE code = 'WALLTIME'"), HasSubstr("max_walltime"));
  EXPECT_TRUE(grid->is_consistent());
}

std::string name_of(const ::testing::TestParamInfo<GridUnderTest::Backend>& info) {
  return info.param == GridUnderTest::Backend::minioar ? "Minioar" : "RealOar";
}

INSTANTIATE_TEST_SUITE_P(OnEachBackend, Policies, ::testing::Values(GridUnderTest::Backend::minioar, GridUnderTest::Backend::real_oar),
                         name_of);

}  // namespace
}  // namespace gleaner::tests
