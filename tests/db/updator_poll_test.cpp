#include <gmock/gmock.h>

#include <set>

#include "lib/process/options.hpp"
#include "lib/store/clock.hpp"
#include "lib/store/matching.hpp"
#include "tests/db/fake_cluster.hpp"
#include "tests/db/grid_fixture.hpp"
#include "updator/matching.hpp"
#include "updator/poll.hpp"

/// The requests of one turn to a cluster, when some of it is out of order.
namespace gleaner::tests {
namespace {

using namespace std::chrono_literals;
using ::testing::IsEmpty;
using ::testing::Le;
using ::testing::SizeIs;

/// Requests that a client has in flight.
const auto kAtOnce = static_cast<std::size_t>(oar::Limits{}.parallel);

class Polls : public GridFixture {
 protected:
  /// Jobs in Error of one launch, ended a minute ago, whose user has this login.
  void errors_of(const std::string& login, int jobs = 1) {
    for (auto job : launched(campaign, alpha, jobs)) {
      job.login = login;
      job.over_since = now - grid::Seconds{60};
      cluster.list(job, "Error");
      live.push_back(job);
    }
  }
  updator::Poll poll(const updator::GatherTimes& times) {
    store::Cluster known;
    known.id = alpha;
    known.reachable = true;
    known.resources_at = now;
    fleet::SharedDatabase shared{database, term};
    oar::Client client{cluster.access(), fleet::limits_of(config)};
    fleet::Visit visit{known, config, shared, client};
    return updator::poll_cluster(visit, live, pools, "grid", now, times).value();
  }
  /// Fences of this login that were read, and that could not be read.
  std::pair<int, int> fences(const updator::Poll& poll, const std::string& login) {
    std::pair<int, int> counted;
    for (const auto& job : live) {
      const auto found = poll.evidence.find(job.fence);
      if (job.login == login && found != poll.evidence.end()) ++(found->second ? counted.first : counted.second);
    }
    return counted;
  }

  grid::CampaignId campaign = a_campaign(100);
  FakeCluster cluster;
  std::vector<store::LiveJob> live;
  std::vector<store::Pool> pools;
  process::Config config = process::default_config();
};

TEST_F(Polls, AHomeThatStalls_OrFails_CostsOneAnswer_AndTheOthersAreRead) {
  config.request_timeout = 2s;
  for (const auto mood : {Mood::hangs, Mood::fails}) {
    live.clear();
    cluster.set("xavier", mood);
    for (int i = 0; i < 12; ++i) errors_of("xavier");
    for (int i = 0; i < 12; ++i) errors_of("alice");
    const auto seen = poll({.evidence = 120s});
    EXPECT_EQ(fences(seen, "alice"), std::pair(12, 0));
    EXPECT_GT(fences(seen, "xavier").second, 0);
  }
}

TEST_F(Polls, WhereNoHomeAnswers_NoFolderCanBeRead_AndTheTurnTakesNoLongerThanItMay) {
  cluster.set("alice", Mood::hangs);
  cluster.set("bob", Mood::hangs);
  for (int i = 0; i < 12; ++i) errors_of(i % 2 == 0 ? "alice" : "bob");
  const auto seen = poll({.evidence = 2500ms, .details = 0ms});
  EXPECT_THAT(cluster.requests("/media"), SizeIs(Le(kAtOnce))) << "one answer is waited for";
  EXPECT_EQ(fences(seen, "alice"), std::pair(0, 6));
  EXPECT_EQ(fences(seen, "bob"), std::pair(0, 6)) << "also those that there was no time for";
}

/// A job that only has a name of ours would keep its cores from the grid: they would count as free in a moment, again and again.
TEST_F(Polls, JobsThatOccupyResources_AreOurs_WhenTheDatabaseKnowsThemUnderThatIdAndLogin) {
  const auto settled = launched(campaign, alpha, 3);
  execute("UPDATE jobs SET state = 'terminated', ending = 'done', ended_at = now()");
  cluster.list(settled[0], "Finishing");
  auto copy = settled[1];
  copy.login = "mal";
  cluster.list(copy, "Finishing");
  copy = settled[2];
  copy.remote = grid::RemoteJobId{77'777};
  cluster.list(copy, "Running");
  cluster.list(77'778, "mal", settled[0].tag, "sleep 86400", "Running");
  cluster.list(77'779, "mal", settled[0].tag, "wrapper gleaner.1 1 0 999999 1 -", "Running");
  const auto seen = poll({});
  EXPECT_THAT(seen.occupying, SizeIs(5));
  EXPECT_THAT(seen.leaving, ::testing::ElementsAre(settled[0].remote));
}

/// The resources of a job are charged to its user on the whole grid.
TEST_F(Polls, MoreResourcesThanAClusterCanHave_AreNotBelieved_OfOursAndOfOthers) {
  const auto ours = launched(campaign, alpha, 2);
  for (std::size_t i = 0; i < ours.size(); ++i) {
    cluster.list(ours[i], "Running");
    cluster.hold(ours[i].remote.value(), i == 0 ? 2'147'483'647 : 40);
    live.push_back(ours[i]);
  }
  cluster.list(77'777, "mal", "x", "sleep 86400", "Running");
  cluster.hold(77'777, 2'147'483'647);
  const auto seen = poll({});
  EXPECT_EQ(seen.ours.at(ours[0].remote).resources, std::nullopt);
  EXPECT_EQ(seen.ours.at(ours[1].remote).resources, 40);
  ASSERT_THAT(seen.occupying, SizeIs(3));
  for (const auto& job : seen.occupying) EXPECT_LE(job.resources.value_or(1), 40);
}

/// OAR lists the files of some thousand tasks slowly, above all while these run; also when few of these are left. A time limit that no such
/// answer keeps would leave their ends unread for ever.
TEST_F(Polls, AFolderOfALargePool_MayTakeItsTime_AndAHomeThatStallsDoesNot) {
  config.request_timeout = 10s;
  const auto large = [&](const std::string& login, int launch) {
    auto& pool = pools.emplace_back();
    pool.files = 12'000;
    pool.jobs.resize(10);
    for (auto& job : pool.jobs) job.login = login, job.campaign = campaign, job.fence = pool.launch = grid::LaunchId{launch};
  };
  large("alice", 101);
  large("xavier", 102);
  cluster.set("xavier", Mood::hangs);
  cluster.delay("/101", 2500ms);
  const auto seen = poll({.evidence = 500ms});
  ASSERT_TRUE(seen.evidence.contains(grid::LaunchId{101}));
  EXPECT_TRUE(seen.evidence.at(grid::LaunchId{101}).has_value());
  EXPECT_THAT(cluster.requests("/102"), IsEmpty()) << "a small request shows that the home stalls";
}

/// Whichever of these folders takes all of the time, each is read in one of a few turns.
TEST_F(Polls, FoldersOfLargePools_AreReadInAnotherOrderInEachTurn) {
  for (int launch = 201; launch < 204; ++launch) {
    auto& pool = pools.emplace_back();
    pool.files = 12'000;
    pool.jobs.resize(10);
    for (auto& job : pool.jobs) job.login = "alice", job.campaign = campaign, job.fence = pool.launch = grid::LaunchId{launch};
  }
  std::set<grid::LaunchId> read;
  for (int turn = 0; turn < 100 && read.size() < 3; ++turn, now += grid::Seconds{3}) {
    const auto seen = poll({.evidence = 0ms});
    EXPECT_THAT(seen.evidence, SizeIs(1));
    for (const auto& [fence, reading] : seen.evidence) read.insert(fence);
  }
  EXPECT_THAT(read, SizeIs(3));
}

TEST_F(Polls, HomesOfLargePoolsThatStall_TakeNoLongerThanTheTurnMay) {
  config.request_timeout = 10s;
  for (int launch = 301; launch < 309; ++launch) {
    auto& pool = pools.emplace_back();
    pool.files = 12'000;
    pool.jobs.resize(1);
    auto& job = pool.jobs.front();
    job.login = fmt::format("user{}", launch), job.campaign = campaign, job.fence = pool.launch = grid::LaunchId{launch};
    cluster.set(job.login, Mood::hangs);
  }
  const auto seen = poll({.evidence = 500ms});
  EXPECT_THAT(cluster.requests("/media"), SizeIs(Le(kAtOnce))) << "one answer is waited for";
  for (const auto& [fence, reading] : seen.evidence) EXPECT_FALSE(reading) << fence.value();
}

TEST_F(Polls, FoldersThatThereIsNoTimeFor_AreNotRead_AndNotUnreadableEither) {
  for (int i = 0; i < 12; ++i) errors_of("alice");
  EXPECT_EQ(fences(poll({.evidence = 0ms}), "alice"), std::pair(4, 0));
}

TEST_F(Polls, ErrorsWhoseDetailsDoNotCome_DoNotStopTheOthers_AndAreNoted) {
  errors_of("alice", 6);
  for (std::size_t i = 0; i < 4; ++i) cluster.hide_details(live[i].remote);
  const auto seen = poll({});
  EXPECT_THAT(seen.details, SizeIs(2));
  EXPECT_THAT(seen.unexplained, SizeIs(4));
  EXPECT_THAT(poll({.details = 0ms}).details, IsEmpty());
}

TEST_F(Polls, AQuestionAboutProperties_ThatGetsNoAnswer_CountsAsAsked_AndTheOthersComeFirstInTheNextTurn) {
  config.request_timeout = 1s;
  const auto other = a_campaign(1);
  execute(
      fmt::format("UPDATE campaign_clusters SET properties = 'a = ' || campaign_id WHERE cluster_id = {}; UPDATE campaigns SET user_name = "
                  "CASE id WHEN {} THEN 'xavier' ELSE 'alice' END",
                  alpha.value(), campaign.value()));
  cluster.set("xavier", Mood::hangs);
  const auto asked = [&] {
    return value(
        "SELECT string_agg((matching_at IS NOT NULL)::text, ' ' ORDER BY campaign_id) FROM campaign_clusters WHERE properties <> ''");
  };
  const auto turn = [&] {
    store::Cluster known;
    known.id = alpha;
    fleet::SharedDatabase shared{database, term};
    oar::Client client{cluster.access(), fleet::limits_of(config)};
    fleet::Visit visit{known, config, shared, client};
    updator::Unmatched unmatched;
    shared.transact(
        [&](store::Transaction& transaction) { unmatched = updator::unmatched_here(transaction, visit, store::now(transaction)); });
    updator::match_properties(visit, unmatched);
  };
  ASSERT_LT(campaign, other) << "it is asked first";
  turn();
  EXPECT_EQ(asked(), "true false");
  turn();
  EXPECT_EQ(asked(), "true true");
  EXPECT_THAT(cluster.requests("alice /select_all"), SizeIs(1));
}

TEST_F(Polls, QuestionsAboutProperties_AreAskedForUsersInTurn) {
  const auto other = a_campaign(1);
  execute(fmt::format("UPDATE campaign_clusters SET properties = 'a = ' || campaign_id WHERE cluster_id = {}", alpha.value()));
  execute(fmt::format("UPDATE campaigns SET user_name = CASE id WHEN {} THEN 'bob' ELSE 'alice' END", other.value()));
  for (int i = 0; i < 5; ++i) {
    const auto more = a_campaign(1);
    execute(fmt::format("UPDATE campaign_clusters SET properties = 'b = {0}' WHERE campaign_id = {0} AND cluster_id = {1}", more.value(),
                        alpha.value()));
    execute(fmt::format("UPDATE campaigns SET user_name = 'alice' WHERE id = {}", more.value()));
  }
  transact([&](store::Transaction& t) {
    const auto pairs = store::unmatched_pairs(t, alpha, now, now);
    ASSERT_THAT(pairs, SizeIs(7));
    EXPECT_EQ(pairs[0].campaign, campaign);
    EXPECT_EQ(pairs[1].campaign, other) << "the other user's, though five of the first one's are as old";
  });
}

}  // namespace
}  // namespace gleaner::tests
