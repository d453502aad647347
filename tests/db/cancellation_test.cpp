// The foretold effects of the cancellation of a campaign, against those that it has.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <map>

#include "lib/store/kills.hpp"
#include "lib/store/views_cancellation.hpp"
#include "tests/db/grid_fixture.hpp"
#include "tests/seed.hpp"

namespace gleaner::tests {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class Cancellation : public GridFixture {
 protected:
  /// Jobs by the cluster's name, from a query of names and numbers.
  std::map<std::string, std::int64_t> killed(grid::CampaignId campaign) {
    std::map<std::string, std::int64_t> all;
    for (const auto* cluster : {"alpha", "beta"}) {
      const auto jobs = std::stoll(value(fmt::format(
          "SELECT count(*) FROM kill_requests r JOIN jobs j ON j.id = r.job_id JOIN clusters k ON k.id = j.cluster_id WHERE j.campaign_id = {} AND k.name = '{}'",
          campaign.value(), cluster)));
      if (jobs > 0) all.emplace(cluster, jobs);
    }
    return all;
  }
  std::vector<store::views::JobsToKill> foretold(grid::CampaignId campaign) {
    std::vector<store::views::JobsToKill> jobs;
    transact([&](store::Transaction& t) { jobs = store::views::jobs_to_kill(t, campaign); });
    return jobs;
  }
  void cancel(grid::CampaignId campaign) {
    transact([&](store::Transaction& t) {
      EXPECT_TRUE(store::cancel_campaign(t, campaign, now));
      store::request_kills_of_cancelled(t, now);
    });
  }
  /// Jobs on both clusters, of which some are over.
  std::vector<store::LiveJob> somewhere(grid::CampaignId campaign, Dice& dice) {
    std::vector<store::LiveJob> live;
    for (const auto cluster : {alpha, beta}) {
      for (const auto& job : launched(campaign, cluster, dice.roll(1, 8))) {
        const int fate = dice.roll(1, 4);
        if (fate == 1) end(job, grid::JobEnd::done);
        else if (fate == 2) end(job, grid::JobEnd::task_error, {.attempts = 50, .charged = 1});
        else live.push_back(job);
      }
    }
    return live;
  }
};

TEST_F(Cancellation, KillsTheJobs_AndCancelsTheTasks_ThatWereForetold) {
  Dice dice{test_seed()};
  for (int round = 0; round < 6; ++round) {
    const auto campaign = a_campaign(60);
    static_cast<void>(launched(a_campaign(5), alpha, 2));  // another's
    const auto live = somewhere(campaign, dice);
    const int unsent = dice.roll(1, 3);
    static_cast<void>(begun(campaign, beta, unsent));
    const auto before = counters(campaign);
    std::map<std::string, std::int64_t> said;
    std::int64_t said_unsent = 0;
    for (const auto& one : foretold(campaign)) {
      if (one.jobs > 0) said.emplace(one.cluster_name, one.jobs);
      said_unsent += one.unsent;
    }
    EXPECT_EQ(said_unsent, unsent);
    EXPECT_EQ(killed(campaign).size(), 0U) << "nothing is changed";
    EXPECT_EQ(counters(campaign), before);
    cancel(campaign);
    EXPECT_EQ(killed(campaign), said);
    auto after = counters(campaign);
    EXPECT_EQ(after.cancelled - before.cancelled, before.waiting) << "at once";
    EXPECT_EQ(after.waiting, 0);
    for (const auto& job : live) take_back(job);
    after = counters(campaign);
    EXPECT_EQ(after.cancelled - before.cancelled, before.waiting + std::ssize(live)) << "and as their jobs end";
    EXPECT_EQ(after.done, before.done);
    EXPECT_EQ(after.failed, before.failed);
  }
}

TEST_F(Cancellation, OfACampaignWithoutJobs_KillsNothing_AndItsEpilogueIsLeft) {
  const auto campaign = a_campaign(3);
  EXPECT_THAT(foretold(campaign), IsEmpty());
  const auto jobs = launched(campaign, alpha, 2);
  execute(fmt::format("UPDATE jobs SET task = -2 WHERE id = {}", jobs[0].id.value()));
  const auto left = foretold(campaign);
  ASSERT_EQ(left.size(), 1U);
  EXPECT_EQ(left[0].cluster_name, "alpha");
  EXPECT_EQ(left[0].jobs, 1);
}

}  // namespace
}  // namespace gleaner::tests
