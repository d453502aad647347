#include <fmt/format.h>
#include <gmock/gmock.h>

#include "lib/grid/job_identity.hpp"
#include "lib/process/options.hpp"
#include "lib/store/epochs.hpp"
#include "runner/runner.hpp"
#include "tests/db/fake_cluster.hpp"
#include "tests/db/grid_fixture.hpp"

/// The runner's first turn on a cluster after a restore of the database.
namespace gleaner::tests {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

/// A cluster with jobs that were submitted between the dump and the restore; what they are of, only their names and commands say.
class RecoveryAfterARestore : public GridFixture {
 protected:
  RecoveryAfterARestore() {
    transact([&](store::Transaction& t) {
      auto known = store::find_cluster(t, "alpha").value();
      known.url = cluster.access().url;
      store::edit_cluster(t, known);
      store::record_reached(t, alpha, now);
      token = store::current_epochs(t, now).all().front().token;
    });
    of_alice = a_campaign(10, {"alpha"});
    of_mal = a_campaign(10, {"alpha"});
    execute(fmt::format("UPDATE launches SET login = 'mal' WHERE id = {}", begun(of_mal, alpha, 1).value()));
    execute("UPDATE grid SET database = 'another server'");
    transact([&](store::Transaction& t) { (void)store::current_epochs(t, now); });
  }
  void list(const std::string& owner, grid::CampaignId campaign, int launch, int task) {
    const auto id = 100 * launch + ++listed;
    cluster.list(id, owner, grid::launch_tag(token, campaign, grid::LaunchId{launch}),
                 fmt::format("wrapper gleaner.{} {} 0 {} {} -", campaign.value(), task, id, launch), "Running");
  }
  void turn() { static_cast<void>(runner::run_once(config, database, term)); }
  std::string taken_over() {
    return value(
        "SELECT string_agg(l.id || ' of ' || l.login || ':' || (SELECT string_agg(' ' || task, '' ORDER BY task) FROM jobs WHERE launch_id = l.id), "
        "', ' ORDER BY l.id) FROM launches l WHERE l.id >= 70");
  }
  std::string event() { return value("SELECT message FROM events WHERE code = 'DATABASE_RESTORED' AND cluster_id IS NOT NULL"); }

  FakeCluster cluster;
  process::Config config = process::default_config();
  std::string token;
  grid::CampaignId of_alice{0}, of_mal{0};
  int listed = 0;
};

TEST_F(RecoveryAfterARestore, FollowsTheJobsOfEachCampaignsUser) {
  list("alice", of_alice, 70, 0);
  list("alice", of_alice, 70, 1);
  list("mal", of_mal, 71, 5);
  turn();
  EXPECT_EQ(taken_over(), "70 of alice: 0 1, 71 of mal: 5");
  EXPECT_THAT(event(), AllOf(HasSubstr("3 tasks of 2 launches"), Not(HasSubstr("not followed"))));
}

/// Names and commands of jobs are for everybody to read in OAR, and to give to jobs of their own.
TEST_F(RecoveryAfterARestore, FollowsNoJobOfAnotherLogin_AndReportsThat_AndLosesNoneOfTheUsersOwnByIt) {
  list("alice", of_alice, 70, 0);
  list("mal", of_alice, 70, 3);
  list("mal", of_alice, 72, 4);
  turn();
  EXPECT_EQ(taken_over(), "70 of alice: 0");
  const auto who = fmt::format("1 job of mal, named as campaign {}'s, whose user has another login there)", of_alice.value());
  EXPECT_THAT(event(), AllOf(HasSubstr("launch 70 (" + who), HasSubstr("launch 72 (" + who)));
}

TEST_F(RecoveryAfterARestore, GivesALaunchThatTwoCampaignsClaimToOne_AndNamesTheOther) {
  list("alice", of_alice, 70, 0);
  list("mal", of_mal, 70, 3);
  turn();
  EXPECT_EQ(taken_over(), "70 of alice: 0");
  EXPECT_THAT(event(),
              HasSubstr(fmt::format("launch 70 (1 job of mal, named as campaign {}'s, but another has this launch)", of_mal.value())));
}

TEST_F(RecoveryAfterARestore, NamesTheFirstOfManyJobsThatItDoesNotFollow) {
  for (int launch = 100; launch < 130; ++launch) list("mal", of_alice, launch, 0);
  turn();
  EXPECT_THAT(event(), AllOf(HasSubstr("launch 109"), Not(HasSubstr("launch 110")), HasSubstr(", and 20 more")));
}

TEST_F(RecoveryAfterARestore, NamesTheFirstOfManyListsThatItCannotRead) {
  for (int launch = 100; launch < 130; ++launch) {
    list("alice", of_alice, launch, launch % 10);
    cluster.answers(fmt::format("/media/~/.gleaner/{}/{}/{}/pool", token, of_alice.value(), launch), "cut");
  }
  turn();
  EXPECT_THAT(event(), AllOf(HasSubstr("/109/pool (it is not whole), and 20 more"), Not(HasSubstr("/110/pool"))));
}

/// Its other tasks would run again, and nobody would know why.
TEST_F(RecoveryAfterARestore, NamesThePoolWhoseListIsNotWhole_AndBelievesNoPartOfIt) {
  list("alice", of_alice, 70, 0);
  list("alice", of_alice, 71, 1);
  const auto pool = [&](int launch, const std::string& list) {
    cluster.answers("/media/" + fmt::format("~/.gleaner/{}/{}/{}/pool", token, of_alice.value(), launch), list);
  };
  pool(70, "2 0 7002 70 -\n3 0 7003 70 -\n.\n");
  pool(71, "4 0 7004 71 -\n5 0 70");
  turn();
  EXPECT_EQ(taken_over(), "70 of alice: 0 2 3, 71 of alice: 1");
  EXPECT_THAT(event(), AllOf(HasSubstr(fmt::format("{}/71/pool (it is not whole)", of_alice.value())), Not(HasSubstr("/70/pool"))));
}

}  // namespace
}  // namespace gleaner::tests
