// Declarations by administrators: clusters retired, jobs and launches lost.
#include "lib/store/declarations.hpp"

#include <gmock/gmock.h>

#include <cstdlib>

#include <fmt/format.h>

#include "lib/process/child.hpp"
#include "lib/store/checks.hpp"
#include "lib/store/kills.hpp"
#include "tests/db/grid_fixture.hpp"

namespace gleaner {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

constexpr grid::Limits kLimits{.attempts = 50, .charged = 1, .walltime_factor = 1.5};

/// Campaign 1: task 0 runs and task 1 waits on alpha, 2 and 3 are of unknown fate there, 4 waits for alpha because of a void launch, 5
/// waits on beta, 6 and 7 were never taken.
class Declarations : public tests::GridFixture {
 protected:
  Declarations() {
    const auto campaign = a_campaign(8);
    const auto jobs = launched(campaign, alpha, 2);
    transact([&](store::Transaction& transaction) {
      store::Observation seen;
      seen.job = jobs[0].id;
      seen.state = grid::JobState::running;
      seen.started_at = now;
      store::observe_jobs(transaction, std::array{seen});
    });
    unknown = begun(campaign, alpha, 2);
    given_up = begun(campaign, alpha, 1);
    execute(fmt::format(R"(
      UPDATE launches SET state = 'unknown' WHERE id = {0};
      UPDATE jobs SET state = 'unknown' WHERE launch_id = {0};
      UPDATE launches SET state = 'void', settled_at = now() WHERE id = {1};
      UPDATE jobs SET state = 'error', ending = 'never_submitted', ended_at = now() WHERE launch_id = {1};
      UPDATE tasks SET state = 'waiting' WHERE number = 4;
      INSERT INTO returned_tasks (campaign_id, number, cluster_id, fence, returned_at) SELECT 1, 4, cluster_id, id, now() FROM launches WHERE id = {1})",
                        unknown.value(), given_up.value()));
    launched(campaign, beta, 1);
  }

  process::Captured gridctl(std::vector<std::string> arguments) {
    const char* folder = std::getenv("GLEANER_BIN_DIR");
    arguments.insert(arguments.begin(), fmt::format("{}/gridctl", folder != nullptr ? folder : "build/bin"));
    auto captured =
        process::capture({.arguments = std::move(arguments), .environment = {{"GLEANER_DATABASE", conninfo}}}, std::chrono::minutes{10});
    if (!captured) throw std::runtime_error{captured.error()};
    return *captured;
  }
  /// The tasks as `number:state:attempt`, with `@cluster` where one waits for it.
  std::string tasks() {
    return value(
        "SELECT string_agg(t.number || ':' || t.state || ':' || t.attempt || coalesce('@' || r.cluster_id, ''), ' ' ORDER BY t.number)"
        " FROM tasks t LEFT JOIN returned_tasks r ON r.campaign_id = t.campaign_id AND r.number = t.number WHERE t.number < 6");
  }
  std::string event() {
    return value("SELECT coalesce(string_agg(message, ' | ' ORDER BY id), '') FROM events WHERE code = 'DECLARED_LOST' AND state = 'open'");
  }
  std::string declarations() {
    return value("SELECT coalesce(string_agg(what || ' ' || subject || ' ' || reason, ', ' ORDER BY id), '') FROM declarations");
  }
  std::vector<store::PendingKill> pending_kills(grid::ClusterId cluster) {
    auto transaction = database.begin();
    return store::pending_kills(transaction, cluster, now);
  }
  void expect_that_the_laws_hold() {
    for (const auto& law : store::laws()) {
      const auto checked = store::check_law(database, law, store::Reach::all, std::chrono::milliseconds{0});
      if (law.weight == store::Weight::leftover || checked.breaches.count == 0) continue;
      ADD_FAILURE() << law.name << ": " << checked.breaches.rows.front().text;
    }
  }

  grid::LaunchId unknown{0}, given_up{0};
};

TEST_F(Declarations, RetiredCluster_IsSpokenOfNoMore_ButForWhatSomebodyDidToIt) {
  for (const auto* code : {"JOBS_ABSENT", "CLUSTER_TURN_FAILED_updator", "UNDER_STRESS", "BLACKLISTED"})
    execute(fmt::format("INSERT INTO events (code, cluster_id, opened_at, last_at, message) VALUES ('{}', 1, now(), now(), 'x')", code));
  ASSERT_EQ(gridctl({"cluster", "retire", "alpha", "--yes"}).end.exit_status, 0);
  EXPECT_EQ(value("SELECT string_agg(code, ' ') FROM events WHERE state = 'open' AND cluster_id = 1 AND message = 'x'"), "BLACKLISTED");
}

TEST_F(Declarations, RetiredCluster_LosesItsJobs_AndTheirTasksGoAnywhereWithANewAttempt) {
  ASSERT_EQ(tasks(), "0:running:0 1:submitted:0 2:launching:0 3:launching:0 4:waiting:0@1 5:submitted:0");
  const auto said = gridctl({"cluster", "retire", "alpha", "--yes", "--reason", "sold"});
  EXPECT_EQ(said.end.exit_status, 0) << said.output;
  EXPECT_THAT(
      said.output,
      AllOf(
          HasSubstr(
              "alpha has 1 job that runs, 1 job that waits, 2 jobs of unknown fate and 1 task that waits for a job of a void launch: their tasks go to other clusters, and run twice if one of these jobs still runs"),
          HasSubstr("alpha is retired: 4 jobs are lost, 1 bound task is released")));
  EXPECT_EQ(tasks(), "0:waiting:1 1:waiting:1 2:waiting:1 3:waiting:1 4:waiting:1 5:submitted:0");
  EXPECT_EQ(value("SELECT string_agg(charged || '/' || attempt - uncounted, ' ') FROM tasks WHERE number < 5"), "0/0 0/0 0/0 0/0 0/0")
      << "nobody pays";
  EXPECT_EQ(value("SELECT string_agg(DISTINCT state || ' ' || ending, ', ') FROM jobs WHERE launch_id <= 2"), "error lost");
  EXPECT_EQ(value(fmt::format("SELECT state FROM launches WHERE id = {} AND released_at IS NOT NULL", unknown.value())), "void");
  EXPECT_THAT(event(), AllOf(HasSubstr("(sold) gave up 1 job that runs, 1 job that waits and 2 jobs of unknown fate on alpha"),
                             HasSubstr("may run twice"), HasSubstr("0, 1, 2, 3")));
  EXPECT_THAT(declarations(), HasSubstr("cluster_retired alpha sold"));
  EXPECT_EQ(value("SELECT count(*) FROM jobs WHERE cluster_id = 2 AND state = 'remote_waiting'"), "1") << "beta's job goes on";
  expect_that_the_laws_hold();
}

TEST_F(Declarations, ClusterIsNotRetired_WithoutAConfirmation_AndTheRiskIsShownFirst) {
  const auto said = gridctl({"cluster", "retire", "alpha"});
  EXPECT_EQ(said.end.exit_status, 4);
  EXPECT_THAT(said.output, AllOf(HasSubstr("alpha has 1 job that runs"), HasSubstr("nothing was changed"), HasSubstr("--yes")));
  EXPECT_EQ(value("SELECT count(*) FROM clusters WHERE retired_at IS NOT NULL OR NOT enabled"), "0");
  EXPECT_EQ(declarations(), "");
}

TEST_F(Declarations, RetiredCluster_IsShown_TakesNoLaunches_AndIsRetiredOnce) {
  execute(
      "UPDATE clusters SET reachable = true; INSERT INTO events (code, cluster_id, opened_at, last_at, message) VALUES ('CLUSTER_UNREACHABLE', 1, now(), now(), 'x')");
  ASSERT_EQ(gridctl({"cluster", "retire", "alpha", "--yes"}).end.exit_status, 0);
  const auto again = gridctl({"cluster", "retire", "alpha", "--yes"});
  EXPECT_EQ(again.end.exit_status, 4);
  EXPECT_THAT(again.output, AllOf(HasSubstr("retired already"), HasSubstr("gridctl cluster enable alpha")));
  EXPECT_THAT(gridctl({"cluster", "list"}).output, HasSubstr("retired"));
  EXPECT_THAT(gridctl({"check"}).output, HasSubstr("alpha: was retired"));
  EXPECT_EQ(value("SELECT state FROM events WHERE code = 'CLUSTER_UNREACHABLE'"), "closed");
  transact([&](store::Transaction& transaction) {
    for (const auto& cluster : store::planning_clusters(transaction, {0.5, 500})) EXPECT_EQ(cluster.retired, cluster.name == "alpha");
    EXPECT_THAT(store::clusters_with_launches(transaction, now - std::chrono::hours{24 * 365}),
                Not(::testing::Contains(::testing::Field(&store::Cluster::name, "alpha"))));
    EXPECT_THAT(store::clusters_to_wipe(transaction, now), Not(::testing::Contains(::testing::Field(&store::Cluster::name, "alpha"))));
  });
}

TEST_F(Declarations, RetiredClusterThatComesBack_HasItsOldJobsDeleted_AndTheTagsOfItsVoidLaunchesSearched) {
  ASSERT_EQ(gridctl({"cluster", "retire", "alpha", "--yes"}).end.exit_status, 0);
  execute(
      "UPDATE kill_requests SET requested_at = '2020-01-01'; UPDATE launches SET settled_at = now() - interval '30 minutes' WHERE state = 'void';"
      "UPDATE clusters SET retired_at = retired_at - interval '1 minute'");
  EXPECT_THAT(pending_kills(alpha), IsEmpty()) << "asked for in vain long ago";
  const auto said = gridctl({"cluster", "enable", "alpha"});
  EXPECT_EQ(said.end.exit_status, 0);
  EXPECT_THAT(said.output, HasSubstr("alpha is in use again; 2 jobs lost when it was retired are deleted there"));
  EXPECT_EQ(value("SELECT enabled AND retired_at IS NULL FROM clusters WHERE id = 1"), "t");
  const auto kills = pending_kills(alpha);
  ASSERT_THAT(kills, SizeIs(2));
  EXPECT_EQ(kills[0].reason, store::KillReason::lost);
  EXPECT_THAT(pending_kills(beta), IsEmpty());
  EXPECT_EQ(value("SELECT count(*) FROM launches WHERE state = 'void' AND tag IS NOT NULL AND settled_at > now() - interval '1 minute'"),
            "2");
  EXPECT_THAT(declarations(), HasSubstr("cluster_returned alpha"));
  EXPECT_EQ(tasks(), "0:waiting:1 1:waiting:1 2:waiting:1 3:waiting:1 4:waiting:1 5:submitted:0") << "its old jobs are not adopted";
  expect_that_the_laws_hold();
}

TEST_F(Declarations, DeletionOfALostJob_IsAskedForThreeTimes) {
  ASSERT_EQ(gridctl({"job", "lost", "1"}).end.exit_status, 0);
  for (int sends = 0; sends < 3; ++sends) {
    const auto kills = pending_kills(alpha);
    ASSERT_THAT(kills, SizeIs(1)) << sends;
    transact([&](store::Transaction& transaction) {
      store::note_kills_sent(transaction, std::array{kills[0].job}, now - std::chrono::minutes{10 - sends});
    });
  }
  EXPECT_THAT(pending_kills(alpha), IsEmpty());
}

TEST_F(Declarations, LostJob_IsOver_AndItsTaskGoesOnWithANewAttempt) {
  const auto said = gridctl({"job", "lost", "1", "--reason", "its node burnt"});
  EXPECT_EQ(said.end.exit_status, 0) << said.output;
  EXPECT_THAT(said.output, HasSubstr("job 1 of task 0 of campaign 1 on alpha is lost"));
  EXPECT_EQ(tasks(), "0:waiting:1 1:submitted:0 2:launching:0 3:launching:0 4:waiting:0@1 5:submitted:0");
  EXPECT_THAT(value("SELECT message FROM jobs WHERE id = 1"), AllOf(HasSubstr("declared lost by"), HasSubstr("its node burnt")));
  EXPECT_THAT(event(), HasSubstr("gave up 1 job that runs on alpha: the task goes elsewhere"));
  EXPECT_THAT(declarations(), HasSubstr("job_lost 1 its node burnt"));
  expect_that_the_laws_hold();
  const auto again = gridctl({"job", "lost", "1"});
  EXPECT_EQ(again.end.exit_status, 4);
  EXPECT_THAT(again.output, HasSubstr("job 1 is over already (error, lost)"));
  EXPECT_EQ(gridctl({"job", "lost", "99"}).end.exit_status, 3);
  EXPECT_EQ(gridctl({"job", "lost", "x"}).end.exit_status, 2);
}

TEST_F(Declarations, LastLostJobOfALaunchOfUnknownFate_MakesItVoid) {
  const auto first = std::stoll(value(fmt::format("SELECT min(id) FROM jobs WHERE launch_id = {}", unknown.value())));
  ASSERT_EQ(gridctl({"job", "lost", std::to_string(first)}).end.exit_status, 0);
  EXPECT_EQ(value(fmt::format("SELECT state FROM launches WHERE id = {}", unknown.value())), "unknown");
  ASSERT_EQ(gridctl({"job", "lost", std::to_string(first + 1)}).end.exit_status, 0);
  EXPECT_EQ(value(fmt::format("SELECT state FROM launches WHERE id = {}", unknown.value())), "void");
  expect_that_the_laws_hold();
}

TEST_F(Declarations, LostLaunch_GivesItsTasksBack_WhetherItsFateIsUnknownOrItIsVoid) {
  auto said = gridctl({"launch", "lost", std::to_string(unknown.value())});
  EXPECT_EQ(said.end.exit_status, 0) << said.output;
  EXPECT_THAT(said.output, HasSubstr("2 tasks go on with a new attempt"));
  EXPECT_EQ(tasks(), "0:running:0 1:submitted:0 2:waiting:1 3:waiting:1 4:waiting:0@1 5:submitted:0");
  said = gridctl({"launch", "lost", std::to_string(given_up.value())});
  EXPECT_EQ(said.end.exit_status, 0) << said.output;
  EXPECT_EQ(tasks(), "0:running:0 1:submitted:0 2:waiting:1 3:waiting:1 4:waiting:1 5:submitted:0");
  EXPECT_EQ(value(fmt::format("SELECT released_at IS NOT NULL FROM launches WHERE id = {}", given_up.value())), "t");
  said = gridctl({"launch", "lost", std::to_string(given_up.value())});
  EXPECT_EQ(said.end.exit_status, 4);
  EXPECT_THAT(said.output, HasSubstr("is void: none of its jobs is alive, and no task waits because of it"));
  EXPECT_EQ(gridctl({"launch", "lost", "99"}).end.exit_status, 3);
  expect_that_the_laws_hold();
}

TEST_F(Declarations, TwoJobsOfOneAttempt_LostTogether_GiveTheirTaskBackOnce) {
  execute(
      "INSERT INTO jobs (launch_id, campaign_id, cluster_id, task, attempt, fence) SELECT launch_id, campaign_id, cluster_id, task, attempt, 1 FROM jobs WHERE id = 1;"
      "UPDATE jobs SET state = 'launching' WHERE state = 'planned'; UPDATE jobs SET state = 'running', remote_id = 77 WHERE state = 'launching'");
  transact([&](store::Transaction& transaction) {
    EXPECT_EQ(store::lose_jobs(transaction, store::live_jobs_of(transaction, grid::LaunchId{1}), kLimits, {.name = "root"}, now), 3);
  });
  EXPECT_EQ(tasks().substr(0, 23), "0:waiting:1 1:waiting:1");
  expect_that_the_laws_hold();
}

}  // namespace
}  // namespace gleaner
