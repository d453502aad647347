#include <fmt/format.h>
#include <gmock/gmock.h>

#include <array>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "lib/grid/usage.hpp"
#include "lib/process/options.hpp"
#include "lib/store/policies.hpp"
#include "metascheduler/facts_of.hpp"
#include "metascheduler/metascheduler.hpp"
#include "metascheduler/snapshot_of.hpp"
#include "tests/db/grid_fixture.hpp"

/// The way from the runs of jobs to usage, shares and orders.
namespace gleaner::tests {
namespace {

using ::testing::DoubleNear;
using ::testing::ElementsAre;
using ::testing::Pair;

constexpr std::int64_t kDay = 86'400;

/// A cluster of four resources, and campaigns whose tasks take all of it for six hours.
class Shares : public GridFixture {
 protected:
  Shares() {
    now = grid::from_unix(1'800'000'000 / kDay * kDay);
    execute("DELETE FROM clusters WHERE name = 'beta'; UPDATE clusters SET reachable = true, max_resources = 4");
    config.campaign_order = "fairshare";
    config.flood = 0;
  }
  grid::CampaignId campaign_of(const std::string& user, const std::string& project = "") {
    const auto id = a_campaign(6, {"alpha"});
    execute(fmt::format(
        "UPDATE campaigns SET user_name = '{1}', jdl = '{{\"project\": \"{2}\"}}' WHERE id = {0};"
        "UPDATE campaign_clusters SET resources = '/core=4', resources_per_job = 4, walltime_s = 6 * 3600 WHERE campaign_id = {0}",
        id.value(), user, project));
    return id;
  }
  /// A user's share, at the root or in a project.
  void share(const std::string& user, double shares, std::optional<std::int64_t> parent = {}) {
    store::transact(database, std::nullopt, [&](store::Transaction& t) { store::set_share(t, "user", user, parent, shares); });
  }
  std::int64_t project(const std::string& name, double shares, std::optional<std::int64_t> parent = {}) {
    std::int64_t id = 0;
    store::transact(database, std::nullopt, [&](store::Transaction& t) {
      store::set_share(t, "project", name, parent, shares);
      id = store::share_of(t, "project", name, parent).value();
    });
    return id;
  }
  /// Plans, and has the one planned job run for six hours. Returns whose it is.
  std::string run_one() {
    execute(fmt::format(
        "INSERT INTO gridstatus (cluster_id, time, max_resources, free, used, used_besteffort, our_running, our_waiting, reachable, api_latency_ms)"
        "  SELECT id, instant({}), 4, 4, 0, 0, 0, 0, true, 5 FROM clusters",
        now.time_since_epoch().count()));
    EXPECT_EQ(metascheduler::run_once(config, database, term, now).jobs, 1);
    const auto user = value("SELECT c.user_name FROM launches l JOIN campaigns c ON c.id = l.campaign_id WHERE l.state = 'planned'");
    const auto begun_at = now;
    now += grid::Seconds{6 * 3600};
    transact([&](store::Transaction& t) {
      const auto launch = store::planned_launches(t, alpha).back().id;
      EXPECT_TRUE(store::begin_launch(t, {.launch = launch, .tag = fmt::format("tag-{}", launch.value()), .login = user}, term, begun_at));
      const auto line = store::launch_lines(t, launch).at(0);
      const std::array accepted{store::AcceptedJob{line.job, grid::RemoteJobId{next_remote}}};
      EXPECT_EQ(store::accept_launch(t, launch, accepted, grid::RemoteJobId{next_remote++}, begun_at), 1);
      store::Verdict verdict{
          .left = store::facts_for_settling(t, std::array{line.job}).at(0), .started_at = begun_at, .ended_at = now, .resources = 4};
      verdict.end = grid::JobEnd::done;
      verdict.state = grid::JobState::terminated;
      verdict.left.job.began = true;
      verdict.settlement = grid::settle(verdict.left.task, verdict.left.job, verdict.end, grid::Deletion::none, many_attempts);
      store::settle_jobs(t, std::array{verdict}, now);
    });
    return user;
  }
  /// P = S - U of each user, as the planner has it.
  std::map<std::string, double> priorities() {
    auto transaction = database.begin();
    const auto snapshot = metascheduler::snapshot_of(metascheduler::facts_of(transaction, config, now), config, now);
    std::map<std::string, double> all;
    for (const auto& user : snapshot.users) all[user.name] = grid::fair_priority(user.share, user.usage, grid::UsageRule::absolute);
    return all;
  }
  process::Config config = process::build_config({}, {}).value();
};

TEST_F(Shares, Document001_JackAndJill_RunInTheOrderOfTheExample_WithTheUsageOfTheirRuns) {
  share("jack", 1);
  share("jill", 3);
  campaign_of("jack");
  campaign_of("jill");
  EXPECT_THAT(priorities(), ElementsAre(Pair("jack", 0.25), Pair("jill", 0.75)));
  EXPECT_EQ(run_one(), "jill");
  EXPECT_THAT(priorities(), ElementsAre(Pair("jack", 0.25), Pair("jill", 0.5)));
  EXPECT_EQ(run_one(), "jill");
  EXPECT_THAT(priorities(), ElementsAre(Pair("jack", 0.25), Pair("jill", 0.25)));
  EXPECT_EQ(run_one(), "jill");
  EXPECT_THAT(priorities(), ElementsAre(Pair("jack", 0.25), Pair("jill", 0.0)));
  EXPECT_EQ(run_one(), "jack");
}

TEST_F(Shares, Document001_UsageOfADay_CountsLessEachDay_AndNothingAfterSeven) {
  share("jack", 1);
  share("jill", 3);
  campaign_of("jill");
  run_one();
  run_one();
  const auto last = grid::from_unix(1'800'000'000 / kDay * kDay + kDay - 1);
  for (const auto& [days, usage] : {std::pair{0, 0.5}, {1, 0.35}, {2, 0.245}, {6, 0.5 * 0.117649}, {7, 0.0}}) {
    now = last + grid::Seconds{days * kDay};
    EXPECT_THAT(priorities().at("jill"), DoubleNear(0.75 - usage, 1e-9)) << days;
  }
}

TEST_F(Shares, Document001_UsageInAProject_CountsForItsDepartment_BeforeTheProjectsAreCompared) {
  config.campaign_order = "fairtree";
  const auto physics = project("physics", 3);
  share("alice", 1, project("lattice", 2, physics));
  share("bob", 1, project("optics", 1, physics));
  share("carol", 1, project("catalysis", 1, project("chemistry", 1)));
  campaign_of("alice", "lattice");
  campaign_of("bob", "optics");
  campaign_of("carol", "catalysis");
  std::vector<std::string> order;
  for (int run = 0; run < 3; ++run) order.push_back(run_one());
  EXPECT_THAT(order, ElementsAre("alice", "carol", "bob"));
}

TEST_F(Shares, Document001_UsageUnderAnotherProject_CountsForThatProject) {
  config.campaign_order = "fairtree";
  const auto lattice = project("lattice", 1), optics = project("optics", 1);
  share("alice", 1, lattice);
  share("alice", 1, optics);
  share("bob", 1, optics);
  const auto campaign = campaign_of("alice", "optics");
  run_one();
  execute(fmt::format("UPDATE campaigns SET state = 'paused' WHERE id = {}", campaign.value()));
  campaign_of("bob", "optics");
  campaign_of("alice", "lattice");
  EXPECT_EQ(run_one(), "alice") << "lattice has used nothing";
}

TEST_F(Shares, Document003_OfAProjectAndAGroup_AreComparedFirst_WithTheUsageOfTheirRuns) {
  const auto physics = project("physics", 1);
  share("alice", 1, physics);
  share("bob", 1, physics);
  store::transact(database, std::nullopt, [&](store::Transaction& t) { store::set_share(t, "group", "chem", std::nullopt, 1); });
  const auto carols = campaign_of("carol");
  execute(fmt::format("UPDATE campaigns SET groups = '{{chem}}' WHERE id = {}", carols.value()));
  campaign_of("alice", "physics");
  campaign_of("bob", "physics");
  std::vector<std::string> order;
  for (int run = 0; run < 2; ++run) order.push_back(run_one());
  EXPECT_THAT(order, ElementsAre("carol", "alice")) << "carol's campaign came first; then her group has used its part";
}

TEST_F(Shares, APriorityOfAProject_IsInForceInTheNextPlan_AndReported) {
  config.campaign_order = "priority";
  campaign_of("alice");
  const auto bobs = campaign_of("bob", "urgent");
  store::transact(database, std::nullopt, [&](store::Transaction& t) {
    store::set_project_priority(t, "urgent", 2);
    store::set_group_priority(t, "chem", 3);
  });
  EXPECT_EQ(run_one(), "bob");
  EXPECT_THAT(value(fmt::format("SELECT figures::text FROM decisions WHERE campaign_id = {} AND reason = 'standing'", bobs.value())),
              testing::AllOf(testing::HasSubstr("given_priorities"), testing::HasSubstr("urgent")));
  store::transact(database, std::nullopt, [&](store::Transaction& t) { store::set_project_priority(t, "urgent", 5); });
  EXPECT_EQ(run_one(), "alice");
  execute("UPDATE campaigns SET groups = '{chem}' WHERE user_name = 'bob'");
  store::transact(database, std::nullopt, [&](store::Transaction& t) { store::set_project_priority(t, "urgent", 4); });
  EXPECT_EQ(run_one(), "bob") << "by the group";
}

}  // namespace
}  // namespace gleaner::tests
