#include <gtest/gtest.h>

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
    one.remaining = tasks;
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
    return one;
  }
  [[nodiscard]] std::vector<store::StoredForecast> forecasts() const { return forecasts_of(facts, config, kNow); }

  store::PredictionFacts facts;
  process::Config config = process::default_config();
};

TEST(CampaignForecast, OfTasksThatTookNoTime_IsBoundedByWhatItsClustersStart) {
  Facts of;
  of.campaign(1, 100'000).earlier = {.count = 8, .sum = 0, .squares = 0};
  of.pair(1, 1);
  of.pair(1, 2);
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
  of.pair(1, 1);
  const auto alone = of.forecasts().at(0);
  campaign.pools = true;
  const auto pools = of.forecasts().at(0);
  EXPECT_LT(*pools.end - kNow, (*alone.end - kNow) / 10);
  EXPECT_GT(*pools.end - kNow, minutes{2});
  of.facts.pairs[0].pools_refused = true;
  EXPECT_EQ(of.forecasts().at(0).end, alone.end);
}

}  // namespace
}  // namespace gleaner::predictor
