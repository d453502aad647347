#include <gmock/gmock.h>

#include "lib/process/options.hpp"
#include "tests/db/fake_cluster.hpp"
#include "tests/db/grid_fixture.hpp"
#include "updator/poll.hpp"

/// What one turn asks a cluster for, when some of it is out of order.
namespace gleaner::tests {
namespace {

using namespace std::chrono_literals;
using ::testing::IsEmpty;
using ::testing::SizeIs;

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
    return updator::poll_cluster(visit, live, {}, "grid", now, times).value();
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
  process::Config config = process::default_config();
};

TEST_F(Polls, AHomeThatStalls_OrFails_CostsOneAnswer_AndTheOthersAreRead) {
  config.request_timeout = 300ms;
  for (const auto mood : {Mood::hangs, Mood::fails}) {
    live.clear();
    cluster.set("xavier", mood);
    for (int i = 0; i < 12; ++i) errors_of("xavier");
    for (int i = 0; i < 12; ++i) errors_of("alice");
    const auto seen = poll({.evidence = 900ms});
    EXPECT_EQ(fences(seen, "alice"), std::pair(12, 0));
    EXPECT_GT(fences(seen, "xavier").second, 0);
  }
}

TEST_F(Polls, WhereNoHomeAnswers_NoFolderCanBeRead_AndTheTurnTakesNoLongerThanItMay) {
  cluster.set("alice", Mood::hangs);
  cluster.set("bob", Mood::hangs);
  for (int i = 0; i < 12; ++i) errors_of(i % 2 == 0 ? "alice" : "bob");
  const auto began = std::chrono::steady_clock::now();
  const auto seen = poll({.evidence = 2500ms, .details = 0ms});
  EXPECT_LT(std::chrono::steady_clock::now() - began, 3500ms) << "one answer is waited for";
  EXPECT_EQ(fences(seen, "alice"), std::pair(0, 6));
  EXPECT_EQ(fences(seen, "bob"), std::pair(0, 6)) << "also those that there was no time for";
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

}  // namespace
}  // namespace gleaner::tests
