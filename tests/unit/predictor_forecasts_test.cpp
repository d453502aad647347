#include <gtest/gtest.h>

#include <string>

#include "lib/process/options.hpp"
#include "predictor/forecasts_of.hpp"

// The forecasts of campaigns, from the facts of their clusters.
namespace gleaner::predictor {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;

const grid::Instant kNow = grid::from_unix(1'800'000'000);

/// Facts of campaigns on clusters of 16 resources, all of them busy.
class Facts {
 public:
  store::PredictionCampaign& campaign(std::int64_t id, std::int64_t tasks) {
    auto& one = facts.campaigns.emplace_back();
    one.id = grid::CampaignId{id};
    one.submitted_at = kNow - minutes{1};
    one.remaining = one.waiting = tasks;
    return one;
  }
  store::PredictionPair& pair(std::int64_t campaign, std::int64_t cluster) {
    auto& one = facts.pairs.emplace_back();
    one.campaign = grid::CampaignId{campaign};
    one.cluster = grid::ClusterId{cluster};
    one.resources_per_job = 1;
    one.walltime = 3600;
    one.max_resources = 16;
    one.flood = 0.5;
    one.reachable = true;
    one.access = store::PredictionPair::Access::open;
    return one;
  }
  [[nodiscard]] std::vector<store::StoredForecast> forecasts() const { return forecasts_of(facts, config, kNow); }

  store::PredictionFacts facts;
  process::Config config = process::default_config();
};

TEST(CampaignForecast, OfTasksThatTookNoTime_IsBoundedByWhatItsClustersStart) {
  Facts of;
  of.campaign(1, 100'000).earlier = {.count = 8, .sum = 0, .squares = 0};
  of.pair(1, 1).free_resources = 16;
  of.pair(1, 2).free_resources = 16;
  const auto forecast = of.forecasts().at(0);
  EXPECT_EQ(forecast.method, "history");
  ASSERT_TRUE(forecast.end && forecast.end_between);
  EXPECT_GT(*forecast.end - kNow, hours{4}) << "3 a second on each of two clusters";
  EXPECT_LT(*forecast.end - kNow, hours{6});
}

TEST(CampaignForecast, OfShortTasksInPools_IsSooner) {
  Facts of;
  auto& campaign = of.campaign(1, 100'000);
  campaign.earlier = {.count = 8, .sum = 0, .squares = 0};
  of.pair(1, 1).free_resources = 16;
  const auto alone = of.forecasts().at(0);
  campaign.pools = true;
  const auto pools = of.forecasts().at(0);
  EXPECT_LT(*pools.end - kNow, (*alone.end - kNow) / 10);
  EXPECT_GT(*pools.end - kNow, minutes{2});
  of.facts.pairs[0].pools_refused = true;
  EXPECT_EQ(of.forecasts().at(0).end, alone.end);
}

/// A campaign that runs on two clusters, with tasks in its bag.
Facts a_running_one() {
  Facts of;
  auto& campaign = of.campaign(1, 100);
  campaign.first_start_at = kNow - minutes{10};
  campaign.ended_in_window = 40;
  campaign.running = 32;
  campaign.waiting = 68;
  for (const auto cluster : {1, 2}) {
    auto& pair = of.pair(1, cluster);
    pair.running = 16;
    pair.done = 20;
    pair.duration_sum = 4000;
    pair.duration_squares = 850'000;
  }
  return of;
}

/// Its method, if it has neither an end nor a start.
std::string without_times(const Facts& of) {
  const auto forecast = of.forecasts().at(0);
  const bool has_times = forecast.end || forecast.end_between || forecast.start || forecast.start_between || forecast.is_kept;
  return has_times ? "it has times: " + forecast.method : forecast.method;
}

TEST(CampaignForecast, OfAPausedCampaign_HasNoEndAndNoStart) {
  auto of = a_running_one();
  EXPECT_TRUE(of.forecasts().at(0).end);
  of.facts.campaigns[0].paused = true;
  EXPECT_EQ(without_times(of), "paused");
  of.facts.campaigns[0].first_start_at.reset();
  EXPECT_EQ(without_times(of), "paused");
}

TEST(CampaignForecast, OfACampaignThatBrakesHoldEverywhere_HasNoEndAndNoStart) {
  using Access = store::PredictionPair::Access;
  auto braked = a_running_one();
  braked.facts.campaigns[0].braked = true;
  EXPECT_EQ(without_times(braked), "braked");
  auto pairs = a_running_one();
  pairs.facts.pairs[0].access = Access::braked;
  EXPECT_TRUE(pairs.forecasts().at(0).end) << "the other cluster takes its tasks";
  pairs.facts.pairs[1].access = Access::closed;
  EXPECT_EQ(without_times(pairs), "braked") << "a brake ends by itself";
  pairs.facts.pairs[0].access = Access::closed;
  EXPECT_EQ(without_times(pairs), "closed");
  pairs.facts.campaigns[0].waiting = 0;
  EXPECT_TRUE(pairs.forecasts().at(0).end) << "all its tasks are on the clusters";
}

TEST(CampaignForecast, BehindACampaignThatGetsNothing_StartsAtOnce) {
  Facts of;
  of.campaign(1, 1000).braked = true;
  of.pair(1, 1).free_resources = 16;
  of.campaign(2, 10);
  of.pair(2, 1).free_resources = 16;
  EXPECT_LT(*of.forecasts().at(1).start - kNow, seconds{30});
}

/// A campaign of which 16 jobs run and 60 wait, each for a minute or so, and one behind it.
Facts behind_60_tasks() {
  Facts of;
  auto& first = of.campaign(1, 76);
  first.running = 16;
  first.waiting = 60;
  first.first_start_at = kNow - minutes{10};
  auto& pair = of.pair(1, 1);
  pair.running = 16;
  pair.done = 100;
  pair.duration_sum = 6000;
  pair.duration_squares = 361'000;
  of.campaign(2, 10);
  of.pair(2, 1);
  return of;
}

TEST(StartsOfCampaigns, BehindOthers_AreNotBeforeTheirWorkCanBeDone) {
  const auto behind = behind_60_tasks().forecasts().at(1);
  ASSERT_TRUE(behind.start && behind.start_between);
  EXPECT_GT(behind.start_between->earliest - kNow, seconds{180}) << "60 minutes on 16 cores take 225 s";
  EXPECT_LT(behind.start_between->earliest, *behind.start);
  EXPECT_LT(*behind.start, behind.start_between->latest);
  ASSERT_TRUE(behind.end_between);
  EXPECT_GT(behind.end_between->earliest, behind.start_between->earliest);
}

TEST(StartsOfCampaigns, WhereOthersNeedNotGoBefore_MayBeAtTheNextEnd) {
  const auto earliest = [](const Facts& of) { return of.forecasts().at(1).start_between->earliest - kNow; };
  auto other_order = behind_60_tasks();
  other_order.config.campaign_order = "fairshare";
  EXPECT_LT(earliest(other_order), seconds{5});
  auto gaps = behind_60_tasks();
  gaps.facts.pairs[0].resources_per_job = 4;
  EXPECT_LT(earliest(gaps), seconds{60}) << "narrow jobs fit into the gaps of wide ones";
  auto test = behind_60_tasks();
  test.facts.campaigns[1].type = grid::CampaignType::test;
  EXPECT_LT(earliest(test), seconds{5}) << "it goes first";
  auto elsewhere = behind_60_tasks();
  elsewhere.pair(2, 2).free_resources = 16;
  EXPECT_LT(earliest(elsewhere), seconds{5}) << "another cluster is empty";
}

TEST(StartsOfCampaigns, InRoomThatOthersLeave_AreInTheNextCycles) {
  Facts of;
  of.campaign(1, 6);
  of.pair(1, 1).free_resources = 16;
  of.campaign(2, 10);
  of.pair(2, 1).free_resources = 16;
  const auto second = of.forecasts().at(1);
  ASSERT_TRUE(second.start);
  EXPECT_LT(*second.start - kNow, seconds{30}) << "6 of 16 cores are for the first";
  EXPECT_GE(second.start_between->earliest - kNow, seconds{2}) << "OAR starts three a second";
}

/// Adds a campaign of 1 600 tasks of a minute, of which so many run on cluster 1 and so many have ended in the last two hours.
void add_known(Facts& of, std::int64_t id, int running, std::int64_t ended, const std::string& user) {
  auto& campaign = of.campaign(id, 1600);
  campaign.user = user;
  campaign.submitted_at = kNow - hours{3};
  campaign.first_start_at = kNow - hours{3};
  campaign.running = running;
  campaign.waiting = 1600 - running;
  campaign.running_seconds = 30.0 * running;
  campaign.ended_in_window = ended;
  auto& pair = of.pair(id, 1);
  pair.running = running;
  pair.done = ended;
  pair.duration_sum = 60.0 * static_cast<double>(ended);
  pair.duration_squares = 3700.0 * static_cast<double>(ended);
}

TEST(SharedClusters, OneBehindAnother_EndsAfterIt_HoweverFewOfItsJobsHaveEnded) {
  Facts of;
  add_known(of, 1, 16, 1900, "ada");
  add_known(of, 2, 0, 20, "ben");
  const auto forecasts = of.forecasts();
  for (const auto& one : forecasts) EXPECT_EQ(one.method, "sharing");
  // 1 600 tasks of a minute, and what a start costs, on 16 cores; 20 in two hours would be a week.
  EXPECT_NEAR(std::chrono::duration<double>{*forecasts[0].end - kNow}.count() / 60, 115, 20);
  EXPECT_NEAR(std::chrono::duration<double>{*forecasts[1].end - kNow}.count() / 60, 225, 40);
}

TEST(SharedClusters, WhereUsersShare_TheyEndTogether) {
  Facts of;
  of.config.campaign_order = "fairshare";
  add_known(of, 1, 16, 1900, "ada");
  add_known(of, 2, 0, 20, "ben");
  const auto forecasts = of.forecasts();
  const std::chrono::duration<double> first{*forecasts[0].end - kNow}, second{*forecasts[1].end - kNow};
  EXPECT_NEAR(first / second, 1.0, 0.1);
}

TEST(SharedClusters, OneThatIsAlone_GoesByItsThroughput) {
  Facts of;
  add_known(of, 1, 16, 1900, "ada");
  add_known(of, 2, 0, 20, "ben");
  of.facts.pairs[1].cluster = grid::ClusterId{2};
  EXPECT_EQ(of.forecasts()[0].method, "throughput");
}

TEST(SharedClusters, OneWhoseTasksWaitForThoseOfAnother_GoesByItsThroughput) {
  Facts of;
  add_known(of, 1, 8, 950, "ada");
  add_known(of, 2, 8, 950, "ada");
  of.facts.campaigns[1].follows = true;
  of.facts.campaigns[1].waiting = 4;
  const auto forecasts = of.forecasts();
  EXPECT_EQ(forecasts[0].method, "sharing");
  EXPECT_EQ(forecasts[1].method, "throughput");
  EXPECT_GT(*forecasts[1].end, *forecasts[0].end) << "the first has the cores to itself but for the tasks that it releases";
}

TEST(SharedClusters, OneOfWhichNoneHasStarted_EndsNoSoonerThanItStarts) {
  Facts of;
  add_known(of, 1, 16, 1900, "ada");
  add_known(of, 2, 0, 0, "ben");
  of.facts.campaigns[1].first_start_at.reset();
  of.facts.campaigns[1].earlier = {.count = 4, .sum = 4, .squares = 4};
  const auto second = of.forecasts()[1];
  ASSERT_TRUE(second.start && second.start_between && second.end && second.end_between);
  EXPECT_GE(*second.end, *second.start);
  EXPECT_GE(second.end_between->latest, second.start_between->latest);
  EXPECT_GE(*second.end, second.end_between->earliest);
}

}  // namespace
}  // namespace gleaner::predictor
